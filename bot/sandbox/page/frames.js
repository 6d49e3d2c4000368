// What one frame from the server changes in the record.

const KEPT = 500; // calls and deliveries shown by the inspector; older ones stay in the server's log

const byId = (items) => new Map((items ?? []).map((item) => [item.id, item]));

/** How far the sandbox's clock is ahead of this machine's, in seconds. */
const offsetOf = ({ now }) => now - Date.now() / 1000;

function upsertNote(state, { channel, user, message }) {
  const others = state.notes.filter(
    (note) => !(note.message.ts === message.ts && note.user === user && note.channel === channel),
  );
  state.notes = [...others, { channel, user, message }];
}

/** A changed card is a new card: what was said about presses on the old one goes. */
function forgetPresses(state, prefix) {
  for (const key of state.presses.keys()) if (key.startsWith(prefix)) state.presses.delete(key);
}

function upsertView(state, { user, view }) {
  const index = state.views.findIndex((open) => open.view.id === view.id);
  if (index >= 0) state.views = state.views.with(index, { user, view });
  else state.views = [...state.views, { user, view }];
  forgetPresses(state, `v:${view.id}/`);
}

function keepLast(items, item) {
  return [...items.filter((other) => other.n !== item.n), item].slice(-KEPT);
}

const APPLY = {
  snapshot(state, frame) {
    state.phase = "ready";
    state.team = frame.team;
    state.app = frame.app;
    state.users = byId(frame.users);
    state.groups = byId(frame.usergroups);
    state.channels = byId(frame.channels);
    state.messages = new Map(
      Object.entries(frame.messages ?? {}).map(([id, list]) => [
        id,
        new Map(list.map((message) => [message.ts, message])),
      ]),
    );
    state.notes = frame.ephemerals ?? [];
    state.views = frame.views ?? [];
    state.homes = new Map(Object.entries(frame.homes ?? {}));
    state.bot = { ...frame.bot };
    state.clockOffset = frame.now ? offsetOf(frame) : 0;
    state.calls = (frame.calls ?? state.calls).slice(-KEPT);
    state.deliveries = (frame.deliveries ?? state.deliveries).slice(-KEPT);
    state.presses.clear();
  },
  message(state, { channel, message }) {
    if (!state.messages.has(channel)) state.messages.set(channel, new Map());
    const known = state.messages.get(channel);
    const before = known.get(message.ts);
    // An answer ends "is thinking…" by itself.
    if (!before && message.bot_id) state.statuses.delete(`${channel}/${message.thread_ts}`);
    if (before && JSON.stringify(before.blocks) !== JSON.stringify(message.blocks))
      forgetPresses(state, `m:${channel}:${message.ts}:`);
    known.set(message.ts, message);
  },
  status(state, { channel, thread_ts: thread, status }) {
    if (status) state.statuses.set(`${channel}/${thread}`, status);
    else state.statuses.delete(`${channel}/${thread}`);
  },
  message_deleted(state, { channel, ts }) {
    state.messages.get(channel)?.delete(ts);
  },
  ephemeral: upsertNote,
  ephemeral_deleted(state, { channel, user, ts }) {
    state.notes = state.notes.filter(
      (note) => !(note.message.ts === ts && note.user === user && note.channel === channel),
    );
  },
  channel(state, { channel }) {
    state.channels.set(channel.id, channel);
  },
  user(state, { user }) {
    state.users.set(user.id, user);
  },
  usergroup(state, { usergroup }) {
    state.groups.set(usergroup.id, usergroup);
  },
  clock(state, frame) {
    state.clockOffset = offsetOf(frame);
  },
  view: upsertView,
  view_closed(state, { view_id: viewId }) {
    state.views = state.views.filter((open) => open.view.id !== viewId);
    state.viewErrors.delete(viewId);
    for (const key of state.drafts.keys()) if (key.startsWith(`v:${viewId}/`)) state.drafts.delete(key);
    forgetPresses(state, `v:${viewId}/`);
  },
  home(state, { user, view }) {
    state.homes.set(user, view);
    if (view) forgetPresses(state, `v:${view.id}/`);
  },
  bot(state, { connected, last_event_at: lastEventAt }) {
    state.bot = { connected, last_event_at: lastEventAt, ever_connected: state.bot.ever_connected || connected };
  },
  call(state, { call }) {
    state.calls = keepLast(state.calls, call);
  },
  delivery(state, { delivery }) {
    state.deliveries = keepLast(state.deliveries, delivery);
  },
  reset(state) {
    state.reads.clear();
    state.drafts.clear();
    state.outbox = [];
    state.clientNotes = [];
    state.calls = [];
    state.deliveries = [];
    state.faults = null;
    state.viewErrors.clear();
    state.statuses.clear();
    state.newSince = null;
    state.thread = null;
    state.inspector.message = null;
  },
};

/** Applies `frame` to `state`. A frame of a kind this page does not know changes nothing. */
export function applyFrame(state, frame) {
  APPLY[frame.type]?.(state, frame);
}
