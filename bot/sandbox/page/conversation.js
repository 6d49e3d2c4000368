// What one person can see: their conversations, and the messages and private notes in each, in order.
import { state } from "./state.js";

const byTs = (a, b) => Number(a.ts) - Number(b.ts) || (a.ts < b.ts ? -1 : 1);

/** Whether a message stands in the thread, not in the channel. */
export const isReply = (message) => Boolean(message.thread_ts) && message.thread_ts !== message.ts;

/** The conversations a person is in. */
export function conversationsOf(userId) {
  const mine = [...state.channels.values()].filter((channel) =>
    channel.members ? channel.members.includes(userId) || channel.user === userId : !channel.is_im,
  );
  const people = (channel) => (channel.members ?? []).filter((id) => id !== userId);
  const withApp = (channel) => channel.is_im && people(channel).every((id) => state.users.get(id)?.is_bot);
  return {
    channels: mine.filter((channel) => !channel.is_im),
    direct: mine.filter((channel) => channel.is_im && !withApp(channel)),
    app: mine.filter(withApp),
  };
}

/** The person's own conversation with the app, or undefined. */
export const appConversationOf = (userId) => conversationsOf(userId).app[0];

/** Whether a person may see a channel. */
export function maySee(userId, channelId) {
  const { channels, direct, app } = conversationsOf(userId);
  return [...channels, ...direct, ...app].some((channel) => channel.id === channelId);
}

/** How a conversation is called: "#general", or the name of who is at the other end. */
export function titleOf(channel, userId, userName) {
  if (!channel) return "";
  if (!channel.is_im) return `#${channel.name}`;
  const other = (channel.members ?? []).find((id) => id !== userId);
  return userName(other) ?? state.app?.name ?? channel.name ?? "";
}

function all(channelId) {
  return [...(state.messages.get(channelId)?.values() ?? [])];
}

function notesOf(channelId, userId, threadTs) {
  return state.notes
    .filter((note) => note.channel === channelId && note.user === userId)
    .map((note) => note.message)
    .filter((message) => (threadTs ? message.thread_ts === threadTs : !isReply(message)))
    .map((message) => ({ message, ts: message.ts, note: true }));
}

const plain = (message) => ({ message, ts: message.ts, note: false });

/** What stands in the channel for this person: {message, ts, note}, oldest first. */
export function channelItems(channelId, userId) {
  const shown = all(channelId).filter((message) => !isReply(message) || message.subtype === "thread_broadcast");
  return [...shown.map(plain), ...notesOf(channelId, userId, null)].sort(byTs);
}

/** The root and replies of a thread for this person, oldest first. */
export function threadItems(channelId, rootTs, userId) {
  const shown = all(channelId).filter((message) => message.ts === rootTs || message.thread_ts === rootTs);
  return [...shown.map(plain), ...notesOf(channelId, userId, rootTs)].sort(byTs);
}

/** How many replies each root of a channel has: Map(root ts -> {count, last, users}). */
export function replyStats(channelId) {
  const stats = new Map();
  for (const message of all(channelId).filter(isReply).sort(byTs)) {
    const known = stats.get(message.thread_ts) ?? { count: 0, last: null, users: [] };
    const author = message.user ?? message.bot_id;
    stats.set(message.thread_ts, {
      count: known.count + 1,
      last: message.ts,
      users: known.users.includes(author) ? known.users : [...known.users, author],
    });
  }
  return stats;
}
