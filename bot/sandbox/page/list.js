// How a list of messages is kept on the page: days, groups, the "New" line, what is not sent, and the scroll position.
import { dayOf, dayWords } from "./clock.js";
import { discard, retry, samePlace } from "./send.js";
import { avatar } from "./people.js";
import { isEdited } from "./edit.js";
import { drawMessage, surfaceKeyOf } from "./messages.js";
import { h, icon } from "./dom.js";
import { nameOf } from "./context.js";
import { newReplies } from "./unread.js";
import { pressSignature } from "./press.js";
import { replyStats } from "./conversation.js";
import { showKeyed } from "./keyed.js";
import { state } from "./state.js";

const GROUP_SECONDS = 300;
const NEAR_END_PX = 60;

const divider = (key, className, text) => ({
  key,
  inputs: [text],
  draw: () => h("div", { class: `divider ${className}`, role: "separator", "aria-label": text }, h("span", {}, text)),
});

const CARD_BLOCKS = new Set(["section", "actions", "header", "input"]);

/** Whether a message is a card: each says by whom and when, and goes on saying it when its buttons are gone. */
const isCard = ({ message }) => (message.blocks ?? []).some((block) => CARD_BLOCKS.has(block.type));

function continues(previous, item) {
  if (isCard(item)) return false;
  if (!previous || previous.note || item.note || item.message.subtype || previous.message.subtype) return false;
  const author = ({ message }) => message.user ?? message.bot_id;
  return author(previous) === author(item) && Number(item.ts) - Number(previous.ts) < GROUP_SECONDS;
}

function unsent(item, ctx) {
  const { words } = ctx;
  const failed = item.phase === "failed";
  return {
    key: `unsent:${item.id}`,
    inputs: [item, ctx.words],
    draw: () =>
      h(
        "article",
        { class: `message unsent ${failed ? "failed" : "late"}`, "aria-label": failed ? words.notSent : words.sending },
        h("div", { class: "gutter" }, avatar(state.users.get(item.user), 36)),
        h(
          "div",
          { class: "message-body" },
          h("div", { class: "message-head" }, h("span", { class: "author" }, nameOf(state.users.get(item.user)))),
          h("div", { class: "text unsent-text" }, item.text),
          failed
            ? h(
                "div",
                { class: "unsent-bar", role: "alert" },
                h("strong", {}, `${words.notSent}: ${item.reason ?? words.unreachable}`),
                h(
                  "button",
                  {
                    type: "button",
                    class: "button small",
                    "data-focus-key": "retry",
                    on: { click: () => retry(item.id) },
                  },
                  words.retry,
                ),
                h(
                  "button",
                  { type: "button", class: "link-button", on: { click: () => discard(item.id) } },
                  words.discard,
                ),
              )
            : h("div", { class: "unsent-bar" }, h("span", { class: "spinner", "aria-hidden": "true" }), words.sending),
        ),
      ),
  };
}

/** The list's entries for the person who reads. `place` is {user, channel, thread}. */
function entries(items, place, ctx) {
  const list = [];
  const stats = replyStats(place.channel);
  // Dates are written as "today" and "tomorrow": on another day they read differently.
  const today = dayOf(ctx.now, ctx.reader);
  let previous = null;
  let day = null;
  for (const item of items) {
    const { message, note } = item;
    const unix = Number(message.ts);
    const itsDay = dayOf(unix, ctx.reader);
    const newDay = itsDay !== day;
    if (newDay) list.push(divider(`day:${itsDay}`, "day", dayWords(unix, ctx.reader, ctx.now, ctx.words)));
    day = itsDay;
    const startsNew = !place.thread && state.newSince?.channel === place.channel && state.newSince.ts === message.ts;
    if (startsNew) list.push(divider("new", "new-line", ctx.words.newLine));
    const grouped = !newDay && !startsNew && continues(previous, item);
    const known = place.thread ? null : stats.get(message.ts);
    const fresh = known ? newReplies(place.user, place.channel, message.ts) : 0;
    const isOpen = !place.thread && state.thread === message.ts;
    list.push({
      key: `${note ? "note" : "message"}:${message.ts}`,
      inputs: [
        message,
        note,
        grouped,
        place.user,
        place.channel,
        isOpen,
        known?.count,
        known?.last,
        fresh,
        ctx.words,
        ctx.reader.locale,
        ctx.reader.tz,
        state.users.size,
        today,
        isEdited(place.channel, message),
        pressSignature(surfaceKeyOf(place.channel, message)),
      ],
      draw() {
        const node = drawMessage({
          message,
          channelId: place.channel,
          ctx,
          note,
          grouped,
          inThread: Boolean(place.thread),
          replies: known ? { ...known, fresh } : null,
        });
        node.classList.toggle("selected", isOpen);
        return node;
      },
    });
    previous = item;
  }
  return list.concat(
    state.outbox.filter((item) => item.phase !== "sending" && samePlace(item, place)).map((item) => unsent(item, ctx)),
  );
}

/** A scrolling list of messages with `draw(items, place, ctx, {label, before})` . */
export function makeList() {
  const list = h("div", { class: "message-list" });
  const log = h("div", { class: "message-scroll", role: "log", tabindex: "0" }, list);
  const jump = h("button", { type: "button", class: "jump", hidden: true }, icon("down", 18));
  const node = h("div", { class: "message-frame" }, log, jump);
  const distance = () => log.scrollHeight - log.scrollTop - log.clientHeight;
  let atEnd = true;
  let shownPlace = "";
  // Offered from half a pane on: for less, scrolling is nearer than a button.
  const offerJump = () => {
    jump.hidden = distance() < log.clientHeight / 2;
  };
  const toEnd = () => {
    const last = list.lastElementChild;
    // A card taller than the pane is read from its question on, not from its buttons up.
    const isTall = last && last.offsetHeight > log.clientHeight;
    log.scrollTop = isTall ? last.offsetTop - list.offsetTop : log.scrollHeight;
  };
  log.addEventListener("scroll", () => {
    atEnd = distance() < NEAR_END_PX;
    offerJump();
  });
  jump.addEventListener("click", () => {
    log.scrollTop = log.scrollHeight;
    log.focus({ preventScroll: true });
  });
  // What is drawn may still grow (fonts, a folded text opened, the composer): the end stays in sight.
  new ResizeObserver(() => atEnd && toEnd()).observe(log);

  return {
    node,
    draw(items, place, ctx, { label, before = [] }) {
      const key = `${place.channel} ${place.thread ?? ""}`;
      const moved = key !== shownPlace;
      shownPlace = key;
      log.setAttribute("aria-label", label);
      jump.setAttribute("aria-label", ctx.words.jumpToLatest);
      jump.title = ctx.words.jumpToLatest;
      showKeyed(list, [...before, ...entries(items, place, ctx)]);
      if (moved || atEnd) toEnd();
      if (moved) atEnd = true;
      offerJump();
    },
    /** Follows the newest message again, as after sending one. */
    follow() {
      atEnd = true;
      toEnd();
    },
  };
}
