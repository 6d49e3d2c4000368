// The right pane: one thread, its root on top, with a composer of its own.
import { closeThread } from "./navigate.js";
import { h, icon } from "./dom.js";
import { makeComposer } from "./composer.js";
import { makeList } from "./list.js";
import { state } from "./state.js";
import { threadItems, titleOf } from "./conversation.js";

function remark(key, text) {
  return { key, inputs: [text], draw: () => h("p", { class: "remark" }, text) };
}

/** Fills the pane and gives `draw(ctx)`. */
export function makeThread(pane) {
  const list = makeList();
  const composer = makeComposer("thread-composer", () => list.follow());
  const back = h(
    "button",
    { type: "button", class: "tool back only-small", on: { click: closeThread } },
    icon("back", 20),
  );
  const close = h("button", { type: "button", class: "tool only-wide", on: { click: closeThread } }, icon("close", 18));
  const title = h("h2", {});
  const where = h("span", { class: "pane-where" });
  const status = h("p", { class: "app-status", role: "status" });
  pane.replaceChildren(
    h("header", { class: "pane-head" }, back, title, where, close),
    list.node,
    status,
    composer.node,
  );
  pane.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeThread();
  });

  return (ctx) => {
    pane.hidden = !state.thread;
    if (!state.thread) return;
    const { words } = ctx;
    const channelName = titleOf(state.channels.get(state.channel), state.acting, ctx.userName);
    const place = { user: state.acting, channel: state.channel, thread: state.thread };
    title.textContent = words.thread;
    where.textContent = channelName;
    pane.setAttribute("aria-label", `${words.thread}, ${channelName}`);
    back.setAttribute("aria-label", words.back);
    close.setAttribute("aria-label", words.closeThread);
    const items = threadItems(state.channel, state.thread, state.acting);
    const before = items.some(({ ts }) => ts === state.thread) ? [] : [remark("gone", words.rootGone)];
    list.draw(items, place, ctx, { label: `${words.thread}, ${channelName}`, before });
    const doing = state.statuses.get(`${state.channel}/${state.thread}`);
    status.textContent = doing ? `${state.app?.name ?? ""} ${doing}` : "";
    composer.draw(place, ctx, words.writeReply);
  };
}
