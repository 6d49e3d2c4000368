// How a person changes or takes back what they said.
import { changeMessage, deleteMessage } from "./api.js";
import { askConfirm } from "./confirm.js";
import { h } from "./dom.js";
import { readingContext } from "./context.js";
import { say, withMentions } from "./send.js";
import { unescapeEntities } from "./mrkdwn.js";
import { change, state } from "./state.js";

/** Stored text as it was typed: names for tokens, characters for entities. */
export function typedText(stored, ctx) {
  const plain = stored
    .replace(/<@(\w+)(?:\|[^>]*)?>/g, (whole, id) => (ctx.userName(id) ? `@${ctx.userName(id)}` : whole))
    .replace(/<#(\w+)(?:\|[^>]*)?>/g, (whole, id) => (ctx.channelName(id) ? `#${ctx.channelName(id)}` : whole))
    .replace(/<!(here|channel|everyone)>/g, "@$1")
    .replace(/<(https?:[^|>]+)(?:\|[^>]*)?>/g, "$1");
  return unescapeEntities(plain);
}

/** Whether this message is being edited now. */
export const isEdited = (channelId, message) => state.editing?.channel === channelId && state.editing.ts === message.ts;

function edit(channel, ts) {
  change((s) => {
    s.editing = ts ? { channel, ts } : null;
  });
}

async function attempt(channel, message, act) {
  const place = {
    user: state.acting,
    channel,
    thread: message.thread_ts && message.thread_ts !== message.ts ? message.thread_ts : null,
  };
  try {
    await act();
  } catch (error) {
    const { words } = readingContext();
    say(place, `${words.notSent}: ${error.status ? error.message : words.unreachable}`);
  }
}

/** The field in which a message is edited: Enter saves, Esc leaves it as it was. */
export function drawEditor(message, channelId, ctx) {
  const { words } = ctx;
  const before = typedText(message.text, ctx);
  const text = h("textarea", {
    class: "field",
    rows: Math.min(before.split("\n").length + 1, 8),
    "aria-label": words.edit,
    value: before,
  });
  const save = async () => {
    const after = text.value.trim();
    if (after && after !== before.trim()) {
      await attempt(channelId, message, () =>
        changeMessage({ user: state.acting, channel: channelId, ts: message.ts, text: withMentions(after) }),
      );
    }
    edit(null, null);
  };
  text.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      edit(null, null);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      save();
    }
  });
  queueMicrotask(() => text.focus());
  return h(
    "div",
    { class: "editor" },
    text,
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "button small primary", on: { click: save } }, words.save),
      h("button", { type: "button", class: "button small", on: { click: () => edit(null, null) } }, words.cancel),
    ),
  );
}

/** What a person may do with their own message, as menu items. */
export function ownMessageItems(message, channelId, ctx) {
  const { words } = ctx;
  const user = state.acting;
  const confirm = {
    title: words.deleteTitle,
    text: { type: "plain_text", text: typedText(message.text, ctx).slice(0, 300) },
    confirm: words.delete,
    deny: words.cancel,
    style: "danger",
  };
  return [
    { label: words.edit, choose: () => edit(channelId, message.ts) },
    {
      label: words.delete,
      async choose() {
        if (await askConfirm(confirm))
          await attempt(channelId, message, () => deleteMessage({ user, channel: channelId, ts: message.ts }));
      },
    },
  ];
}
