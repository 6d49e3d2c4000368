// What a person has not seen yet, and how often they were named in it.
import { conversationsOf, isReply } from "./conversation.js";
import { recall, remember } from "./memory.js";
import { state } from "./state.js";

const KEY = "sandbox.reads";
const named = new WeakMap();
const NAMED =
  /<@([UW][A-Z0-9]+)|"user_id":"([UW][A-Z0-9]+)"|<!subteam\^(S[A-Z0-9]+)|"usergroup_id":"(S[A-Z0-9]+)"/g;

/** The name of a place in the reading list. */
export const placeKey = (channelId, threadTs) => (threadTs ? `${channelId}/${threadTs}` : channelId);

/** The ids of people and user groups that a message names, with "!" for everybody. */
function mentionsIn(message) {
  if (!named.has(message)) {
    const text = `${message.text ?? ""} ${JSON.stringify(message.blocks ?? [])}`;
    const ids = [...text.matchAll(NAMED)].flatMap((found) => found.slice(1).filter(Boolean));
    if (/<!(here|channel|everyone)/.test(text) || /"type":"broadcast"/.test(text)) ids.push("!");
    named.set(message, new Set(ids));
  }
  return named.get(message);
}

/** Whether one of the ids is that of a user group this person is in. */
function inGroup(userId, ids) {
  return [...state.groups.values()].some((group) => ids.has(group.id) && group.members.includes(userId));
}

const lastSeen = (userId, place) => state.reads.get(`${userId} ${place}`) ?? "0";

/** Whether this message is news for this person. */
export function isUnread(userId, channelId, message) {
  const place = placeKey(
    channelId,
    isReply(message) && message.subtype !== "thread_broadcast" ? message.thread_ts : null,
  );
  return message.user !== userId && Number(message.ts) > Number(lastSeen(userId, place));
}

/** {unread, mentions} of one conversation: replies count only where they name the person. */
export function unreadIn(userId, channel) {
  let unread = false;
  let mentions = 0;
  for (const message of state.messages.get(channel.id)?.values() ?? []) {
    if (!isUnread(userId, channel.id, message)) continue;
    const ids = mentionsIn(message);
    // In a conversation of two everything is meant for the other.
    const meant = channel.is_im || ids.has(userId) || ids.has("!") || inGroup(userId, ids);
    if (meant) mentions += 1;
    if (!isReply(message) || meant) unread = true;
  }
  return { unread, mentions };
}

/** All mentions that wait for a person, over all their conversations. */
export function mentionsFor(userId) {
  const { channels, direct, app } = conversationsOf(userId);
  return [...channels, ...direct, ...app].reduce((sum, channel) => sum + unreadIn(userId, channel).mentions, 0);
}

/** How many replies of a thread a person has not seen. */
export function newReplies(userId, channelId, rootTs) {
  let count = 0;
  for (const message of state.messages.get(channelId)?.values() ?? []) {
    if (message.thread_ts === rootTs && isReply(message) && isUnread(userId, channelId, message)) count += 1;
  }
  return count;
}

/** Notes that a person has seen everything up to `ts`; true when that was news. */
export function markRead(userId, place, ts) {
  const key = `${userId} ${place}`;
  if (Number(ts) <= Number(state.reads.get(key) ?? 0)) return false;
  state.reads.set(key, ts);
  remember(KEY, JSON.stringify([...state.reads]));
  return true;
}

/** Takes up what was seen on earlier visits. */
export function recallReads() {
  try {
    state.reads = new Map(JSON.parse(recall(KEY) ?? "[]"));
  } catch {
    state.reads = new Map();
  }
}
