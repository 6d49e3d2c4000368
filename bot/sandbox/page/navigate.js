// Where the person stands: which conversation, thread and role, kept in the address so that "back" works.
import { appConversationOf, channelItems, conversationsOf, maySee } from "./conversation.js";
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
    const target = root?.querySelector("[data-focus-key='replies'], [data-focus-key='reply']") ?? document.querySelector("#channel textarea");
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

/** Home or Messages in the app's conversation. */
export function showHome(home) {
  change((s) => {
    s.homeTab = home;
  });
}

/** Becomes another person, in the same place where they may see it. */
export function actAs(userId) {
  change((s) => {
    const inApp = s.channel === appConversationOf(s.acting)?.id;
    s.acting = userId;
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
  const people = [...state.users.values()].filter((user) => !user.is_bot);
  if (!state.users.has(state.acting)) {
    const kept = recall(ACTING_KEY);
    state.acting = people.some((user) => user.id === kept) ? kept : people[0]?.id ?? null;
  }
  if (!maySee(state.acting, state.channel)) {
    state.channel = null;
    state.thread = null;
    restore();
    const { channels } = conversationsOf(state.acting);
    // Reviews are what this sandbox is for; general is only where a workspace begins.
    state.channel ??= (channels.find((channel) => channel.name.includes("review")) ?? channels[0])?.id ?? null;
    if (state.view !== "list") state.view = state.thread ? "thread" : "channel";
    markNew();
    history.replaceState(null, "", address());
  }
}

addEventListener("popstate", () => change(restore));
