// The middle pane: one conversation with its messages and composer, or the app's Home.
import { appConversationOf, channelItems, titleOf } from "./conversation.js";
import { drawHome } from "./home.js";
import { h, icon } from "./dom.js";
import { makeComposer } from "./composer.js";
import { makeList } from "./list.js";
import { SAMPLE_LINE, startSample } from "./send.js";
import { showHome, showList } from "./navigate.js";
import { state } from "./state.js";

function emptyHint(place, title, ctx) {
  return {
    key: "empty",
    inputs: [title, ctx.words, place.user],
    draw: () =>
      h(
        "div",
        { class: "empty" },
        h("h2", {}, ctx.words.emptyTitle(title)),
        h("p", {}, ctx.words.emptyHint(state.app?.name ?? "")),
        h("p", {}, h("code", { class: "sample" }, SAMPLE_LINE)),
        h(
          "button",
          { type: "button", class: "button primary", on: { click: () => startSample(place) } },
          ctx.words.startSample,
        ),
      ),
  };
}

function drawTabs(tabs, ctx) {
  const tab = (label, home) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        "aria-selected": String(state.homeTab === home),
        on: { click: () => showHome(home) },
      },
      label,
    );
  tabs.replaceChildren(tab(ctx.words.home, true), tab(ctx.words.messages, false));
}

/** Fills the pane and gives `draw(ctx)`. */
export function makeChannel(pane) {
  const list = makeList();
  const composer = makeComposer("composer", () => list.follow());
  const back = h(
    "button",
    { type: "button", class: "tool back only-narrow", on: { click: showList } },
    icon("back", 20),
  );
  const title = h("h1", {});
  const tabs = h("div", { class: "tabs", role: "tablist" });
  const home = h("div", { class: "home", hidden: true, "data-surface": "home" });
  pane.replaceChildren(h("header", { class: "pane-head" }, back, title, tabs), home, list.node, composer.node);
  let tabsKey = null;

  return (ctx) => {
    const channel = state.channels.get(state.channel);
    const name = titleOf(channel, state.acting, ctx.userName);
    const place = { user: state.acting, channel: state.channel, thread: null };
    back.setAttribute("aria-label", ctx.words.conversations);
    title.textContent = name;
    const isApp = Boolean(channel) && appConversationOf(state.acting)?.id === state.channel;
    const showsHome = isApp && state.homeTab;
    tabs.hidden = !isApp;
    home.hidden = !showsHome;
    list.node.hidden = showsHome;
    composer.node.hidden = showsHome;
    const key = `${isApp} ${showsHome} ${ctx.reader.locale}`;
    if (key !== tabsKey) {
      const held = tabs.contains(document.activeElement);
      drawTabs(tabs, ctx);
      if (held) tabs.querySelector("[aria-selected='true']").focus();
    }
    tabsKey = key;
    if (showsHome) {
      drawHome(home, ctx);
      return;
    }
    const items = channelItems(state.channel, state.acting);
    const before = items.length ? [] : [emptyHint(place, name, ctx)];
    list.draw(items, place, ctx, { label: ctx.words.messagesIn(name), before });
    composer.draw(place, ctx, ctx.words.writeTo(name));
  };
}
