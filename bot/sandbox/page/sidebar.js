// The list of conversations, with what waits in each for the acting person.
import { avatar } from "./people.js";
import { conversationsOf, titleOf } from "./conversation.js";
import { h } from "./dom.js";
import { openChannel } from "./navigate.js";
import { showKeyed } from "./keyed.js";
import { state } from "./state.js";
import { unreadIn } from "./unread.js";

function heading(key, text) {
  return { key, inputs: [text], draw: () => h("h2", { class: "sidebar-heading" }, text) };
}

function row(channel, ctx) {
  const { unread, mentions } = unreadIn(state.acting, channel);
  const current = channel.id === state.channel;
  const name = titleOf(channel, state.acting, ctx.userName);
  const other = channel.is_im ? (channel.members ?? []).find((id) => id !== state.acting) : null;
  const label = [name, mentions ? ctx.words.mentions(mentions) : unread ? ctx.words.unread : ""]
    .filter(Boolean)
    .join(", ");
  return {
    key: channel.id,
    inputs: [name, unread, mentions, current, ctx.words],
    draw: () =>
      h(
        "button",
        {
          type: "button",
          class: `sidebar-row ${unread ? "unread" : ""}`,
          "aria-label": label,
          "aria-current": current ? "page" : null,
          "data-focus-key": "row",
          on: { click: () => openChannel(channel.id) },
        },
        channel.is_im
          ? avatar(state.users.get(other) ?? { is_bot: true }, 20)
          : h("span", { class: "hash", "aria-hidden": "true" }, channel.is_private ? "🔒" : "#"),
        h("span", { class: "sidebar-name" }, channel.is_im ? name : channel.name),
        mentions ? h("span", { class: "badge" }, String(mentions)) : unread ? h("span", { class: "dot" }) : null,
      ),
  };
}

/** Fills the sidebar and gives `draw(ctx)`. */
export function makeSidebar(nav) {
  const list = h("div", { class: "sidebar-list" });
  nav.replaceChildren(list);
  return (ctx) => {
    const { channels, direct, app } = conversationsOf(state.acting);
    nav.setAttribute("aria-label", ctx.words.conversations);
    const part = (key, title, items) =>
      items.length ? [heading(key, title), ...items.map((channel) => row(channel, ctx))] : [];
    showKeyed(list, [
      ...part("h-channels", ctx.words.channels, channels),
      ...part("h-direct", ctx.words.directMessages, direct),
      ...part("h-apps", ctx.words.apps, app),
    ]);
  };
}
