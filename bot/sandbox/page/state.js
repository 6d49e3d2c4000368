// What the page knows: one record, changed in one place, drawn once after each burst of changes.

/** The record. Maps are keyed by Slack's ids; `messages` is channel id -> Map(ts -> message). */
export const state = {
  phase: "loading", // loading | ready | silent (no snapshot came) ; `online` says whether the socket is open
  online: false,
  team: null,
  app: null,
  users: new Map(),
  groups: new Map(), // user groups: {id, handle, name, members, is_disabled}
  channels: new Map(),
  messages: new Map(),
  notes: [], // private notes: {channel, user, message}
  views: [], // open modals, oldest first: {user, view}
  homes: new Map(),
  bot: { connected: true, last_event_at: null, ever_connected: true },
  clockOffset: 0, // sandbox seconds minus this machine's seconds
  statuses: new Map(), // `${channel}/${root ts}` -> what the app says it is doing
  calls: [],
  deliveries: [],
  faults: null, // what the control API lists as set: {methods, deliveries, switches}

  acting: null, // user id
  channel: null, // channel id
  thread: null, // root ts
  view: "channel", // what a narrow screen shows: list | channel | thread
  homeTab: false, // in the app's conversation: Home instead of Messages
  newSince: null, // {place, ts}: where the "New" line stands
  reads: new Map(), // `${user} ${place}` -> last ts seen
  presses: new Map(), // press key -> {phase: busy | silent | refused, text?}
  drafts: new Map(), // typed but not sent: composer places and block inputs
  outbox: [], // messages on their way or refused: {id, user, channel, thread, text, phase: sending | late | failed}
  clientNotes: [], // the client's own words: {id, user, channel, thread, text}
  editing: null, // the message being edited: {channel, ts}
  viewErrors: new Map(), // view id -> {block id: text}
  inspector: { open: false, tab: "calls", message: null },
};

const listeners = new Set();
let scheduled = false;

/** Calls `listener` after every burst of changes. */
export function subscribe(listener) {
  listeners.add(listener);
}

/** Changes the record and has the page drawn again. A microtask, not a frame: hidden tabs get no frames. */
export function change(mutate) {
  mutate(state);
  if (scheduled) return;
  scheduled = true;
  queueMicrotask(() => {
    scheduled = false;
    for (const listener of listeners) listener(state);
  });
}

/** Seconds since 1970 by the sandbox's clock. */
export function sandboxNow() {
  return Date.now() / 1000 + state.clockOffset;
}
