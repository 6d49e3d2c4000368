// How one message looks: who, when, what it says, and what can be done with it.
import { dismissNote, pressInMessage } from "./api.js";
import { drawBlocks, questionOf } from "./blocks.js";
import { avatar } from "./people.js";
import { clockTime, fullMoment } from "./clock.js";
import { nameOf } from "./context.js";
import { drawEditor, isEdited, ownMessageItems } from "./edit.js";
import { emojiFor } from "./emoji.js";
import { h, icon } from "./dom.js";
import { drawMrkdwn } from "./inline.js";
import { showPayload } from "./inspector.js";
import { openMenu } from "./menu.js";
import { openThread } from "./navigate.js";
import { change, state } from "./state.js";

/** The one who wrote a message, as far as the workspace knows them. */
export function authorOf(message) {
  const user = state.users.get(message.user);
  if (user) return user;
  const name = message.username ?? message.bot_profile?.name ?? message.user ?? message.bot_id ?? "?";
  return { id: message.user ?? message.bot_id, name, is_bot: Boolean(message.bot_id) };
}

/** The key of a message's presses and inputs: each person has their own. */
export const surfaceKeyOf = (channelId, message) => `m:${channelId}:${message.ts}:${state.acting}`;

function surfaceOf(message, channelId, ctx) {
  const user = state.acting;
  return {
    key: surfaceKeyOf(channelId, message),
    ctx,
    question: questionOf(message.blocks ?? []),
    send: ({ actionId, blockId, value }) =>
      pressInMessage({ user, channel: channelId, ts: message.ts, actionId, blockId, value }),
  };
}

function content(message, channelId, ctx) {
  const edited = message.edited ? h("span", { class: "edited" }, ` ${ctx.words.edited}`) : null;
  if (!message.blocks?.length) return [h("div", { class: "text" }, ...drawMrkdwn(message.text, ctx), edited)];
  const blocks = drawBlocks(message.blocks, surfaceOf(message, channelId, ctx));
  // Apps update their cards without a mark; people's lines, which are one rich_text block, get it.
  return message.blocks.every((block) => block.type === "rich_text") && edited ? [...blocks, edited] : blocks;
}

function head(author, message, ctx) {
  const unix = Number(message.ts);
  return h(
    "div",
    { class: "message-head" },
    h("span", { class: "author" }, nameOf(author)),
    author.is_bot ? h("span", { class: "app-badge" }, ctx.words.app) : null,
    h(
      "time",
      { datetime: new Date(unix * 1000).toISOString(), title: fullMoment(unix, ctx.reader) },
      clockTime(unix, ctx.reader),
    ),
  );
}

function replyBar(message, replies, ctx) {
  const { words } = ctx;
  return h(
    "button",
    { type: "button", class: "reply-bar", "data-focus-key": "replies", on: { click: () => openThread(message.ts) } },
    h("span", { class: "reply-faces" }, ...replies.users.slice(0, 3).map((id) => avatar(authorOf({ user: id }), 20))),
    h("span", { class: "reply-count" }, words.replies(replies.count)),
    h("span", { class: "reply-last" }, ` · ${words.lastAt(clockTime(Number(replies.last), ctx.reader))}`),
    replies.fresh ? h("span", { class: "badge soft" }, words.newReplies(replies.fresh)) : null,
  );
}

function reactions(message, ctx) {
  if (!message.reactions?.length) return null;
  const chip = ({ name, count, users = [] }) =>
    h(
      "span",
      { class: "reaction", title: users.map((id) => ctx.userName(id) ?? id).join(", ") },
      emojiFor(name) ?? `:${name}:`,
      h("span", {}, String(count ?? users.length)),
    );
  return h("div", { class: "reactions" }, ...message.reactions.map(chip));
}

function toolbar(message, channelId, ctx, { inThread }) {
  const { words } = ctx;
  const tool = (name, label, focusKey, run) =>
    h(
      "button",
      {
        type: "button",
        class: "tool",
        "aria-label": label,
        title: label,
        "data-focus-key": focusKey,
        on: { click: run },
      },
      icon(name, 16),
    );
  const isOwn = message.user === state.acting && message.subtype !== "tombstone";
  const openOwn = ({ currentTarget }) => openMenu(currentTarget, ownMessageItems(message, channelId, ctx), words.more);
  return h(
    "div",
    { class: "message-tools" },
    inThread ? null : tool("reply", words.replyInThread, "reply", () => openThread(message.thread_ts ?? message.ts)),
    isOwn ? tool("more", words.more, "more", openOwn) : null,
    tool("code", words.showPayload, "payload", () => showPayload(channelId, message)),
  );
}

function privateMark(message, channelId, ctx) {
  const dismiss = () => {
    const user = state.acting;
    change((s) => {
      s.notes = s.notes.filter((note) => note.message.ts !== message.ts || note.user !== user);
    });
    // The note is gone for this person either way; the server is only told.
    dismissNote({ user, channel: channelId, ts: message.ts }).catch(() => {});
  };
  return h(
    "div",
    { class: "private-mark" },
    icon("eye", 14),
    h("span", {}, ctx.words.onlyYou),
    h("span", { "aria-hidden": "true" }, "·"),
    h(
      "button",
      { type: "button", class: "link-button", "data-focus-key": "dismiss", on: { click: dismiss } },
      ctx.words.dismiss,
    ),
  );
}

/** A message. `replies` is {count, last, users, fresh} or null; `grouped` leaves the author out; `note` marks a private one. */
export function drawMessage({ message, channelId, ctx, note, grouped, replies, inThread }) {
  const author = authorOf(message);
  const unix = Number(message.ts);
  const time = clockTime(unix, ctx.reader);
  return h(
    "article",
    {
      class: `message ${grouped ? "grouped" : ""} ${note ? "private" : ""}`,
      "data-ts": message.ts,
      "aria-label": `${nameOf(author)}, ${time}`,
    },
    note ? privateMark(message, channelId, ctx) : null,
    h(
      "div",
      { class: "gutter" },
      grouped
        ? h("time", { class: "side-time", datetime: new Date(unix * 1000).toISOString() }, time)
        : avatar(author, 36),
    ),
    h(
      "div",
      { class: "message-body" },
      grouped ? null : head(author, message, ctx),
      message.subtype === "thread_broadcast" && !inThread
        ? h("div", { class: "broadcast" }, ctx.words.alsoInChannel)
        : null,
      isEdited(channelId, message)
        ? drawEditor(message, channelId, ctx)
        : h("div", { class: "content" }, ...content(message, channelId, ctx)),
      ...(message.files ?? []).map((file) => h("div", { class: "file" }, `📄 ${file.title ?? file.name ?? file.id}`)),
      reactions(message, ctx),
      replies?.count ? replyBar(message, replies, ctx) : null,
    ),
    note ? null : toolbar(message, channelId, ctx, { inThread }),
  );
}
