// Where the person stands: which conversation, thread and role, kept in the address so that "back" works.
import { appConversationOf, channelItems, conversationsOf, maySee } from "./conversation.js";
import { openApp } from "./api.js";
import { peopleToActAs } from "./context.js";
import { isUnread, placeKey } from "./unread.js";
import { recall, remember } from "./memory.js";
import { change, state } from "./state.js";

const ACTING_KEY = "sandbox.acting";

function address() {
  if (state.view === "list") return "#list";
  return `#${placeKey(state.channel, state.thread)}`;
}

function push() {
  if (location.hash !== address()) history.pushState(null, "", address());
}

/** Puts the "New" line where this person stopped reading. */
function markNew() {
  const items = channelItems(state.channel, state.acting);
  const first = items.findIndex(({ message, note }) => !note && isUnread(state.acting, state.channel, message));
  // With nothing read before it the line would say nothing.
  const hasRead = state.reads.has(`${state.acting} ${placeKey(state.channel, null)}`);
  state.newSince = hasRead && first > 0 ? { channel: state.channel, ts: items[first].ts } : null;
}

/** Shows a conversation. */
export function openChannel(channelId) {
  change((s) => {
    if (s.channel !== channelId) s.thread = null;
    s.channel = channelId;
    s.view = "channel";
    s.homeTab = false;
    markNew();
    push();
  });
  document.getElementById("channel").focus({ preventScroll: true });
}

/** Shows a thread beside its channel. */
export function openThread(rootTs) {
  change((s) => {
    s.thread = rootTs;
    s.view = "thread";
    push();
  });
  queueMicrotask(() => document.querySelector("#thread textarea")?.focus({ preventScroll: true }));
}

/** Closes the thread and gives the focus back to the message it belongs to. */
export function closeThread() {
  const { thread } = state;
  change((s) => {
    s.thread = null;
    s.view = "channel";
    push();
  });
  queueMicrotask(() => {
    const root = thread && document.querySelector(`#channel [data-ts="${CSS.escape(thread)}"]`);
    const target =
      root?.querySelector("[data-focus-key='replies'], [data-focus-key='reply']") ??
      document.querySelector("#channel textarea");
    target?.focus({ preventScroll: true });
  });
}

/** On a narrow screen: back to the list of conversations. */
export function showList() {
  change((s) => {
    s.view = "list";
    push();
  });
}

/** Home or Messages in the app's conversation; the app is told, as it may draw its Home only then. */
export function showHome(home) {
  change((s) => {
    s.homeTab = home;
  });
  // Nothing depends on the answer: a Home comes as a frame of its own.
  openApp({ user: state.acting, tab: home ? "home" : "messages" }).catch(() => {});
}

/** Shows one message wherever it stands: in its thread when it has one. */
export function openMessage({ channel, ts, thread }) {
  if (!maySee(state.acting, channel)) return;
  openChannel(channel);
  if (thread && thread !== ts) openThread(thread);
  queueMicrotask(() => pointAt(ts));
}

function pointAt(ts) {
  const found = [...document.querySelectorAll(`[data-ts="${CSS.escape(ts)}"]`)].findLast((node) => node.offsetParent);
  if (!found) return;
  found.scrollIntoView({ block: "center" });
  found.classList.add("pointed");
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
}

/** Where a permalink of this workspace leads: {channel, ts, thread}, or null for any other address. */
export function permalinkTarget(url) {
  const address = URL.canParse(url) ? new URL(url) : null;
  const found =
    address?.origin === location.origin && /^\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})$/.exec(address.pathname);
  return found
    ? { channel: found[1], ts: `${found[2]}.${found[3]}`, thread: address.searchParams.get("thread_ts") }
    : null;
}

/** Becomes another person, in the same place where they may see it. */
export function actAs(userId) {
  change((s) => {
    const inApp = s.channel === appConversationOf(s.acting)?.id;
    s.acting = userId;
    s.editing = null;
    remember(ACTING_KEY, userId);
    if (inApp && appConversationOf(userId)) {
      s.channel = appConversationOf(userId).id;
      s.thread = null;
    } else if (!maySee(userId, s.channel)) {
      s.channel = conversationsOf(userId).channels[0]?.id ?? appConversationOf(userId)?.id ?? null;
      s.thread = null;
    }
    if (s.view === "thread" && !s.thread) s.view = "channel";
    markNew();
    push();
  });
}

/** The message a followed permalink asks for, once. */
function askedMessage() {
  const asked = new URLSearchParams(location.search);
  const target = { channel: asked.get("channel"), ts: asked.get("ts"), thread: asked.get("thread_ts") };
  return target.channel && target.ts ? target : null;
}

function restore() {
  const [channelId, thread] = location.hash.slice(1).split("/");
  if (channelId === "list") {
    state.view = "list";
  } else if (maySee(state.acting, channelId)) {
    state.channel = channelId;
    state.thread = thread || null;
    state.view = thread ? "thread" : "channel";
  }
}

/** After a snapshot: takes up the person and place of before, or the first ones that fit. */
export function settle() {
  const people = peopleToActAs();
  if (!people.some((user) => user.id === state.acting)) {
    const kept = recall(ACTING_KEY);
    state.acting = people.some((user) => user.id === kept) ? kept : (people[0]?.id ?? null);
  }
  if (!maySee(state.acting, state.channel)) {
    state.channel = null;
    state.thread = null;
    restore();
    const { channels } = conversationsOf(state.acting);
    state.channel ??= channels[0]?.id ?? null;
    if (state.view !== "list") state.view = state.thread ? "thread" : "channel";
    markNew();
    const asked = askedMessage();
    history.replaceState(null, "", `${location.pathname}${address()}`);
    if (asked) queueMicrotask(() => openMessage(asked));
  }
}

addEventListener("popstate", () => change(restore));
