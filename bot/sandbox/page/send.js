// What becomes of a typed line: a message on its way, a command, or the client's own refusal.
import { Refused, sendCommand, sendMessage } from "./api.js";
import { nameOf, readingContext } from "./context.js";
import { change, state } from "./state.js";

const LATE_MS = 400; // on loopback a message is there at once; only a slow one is drawn as "sending"
const SAMPLE = { command: "/flows", text: 'start content_review topic="Safe AI in schools"' };

export const SAMPLE_LINE = `${SAMPLE.command} ${SAMPLE.text}`;

let count = 0;

/** Says something in the client's own name, to this person, at this place. */
export function say(place, text) {
  change((s) => {
    s.clientNotes = [...s.clientNotes.filter((note) => !samePlace(note, place)), { id: (count += 1), ...place, text }];
  });
}

/** Whether two records stand at the same person, channel and thread. */
export function samePlace(a, b) {
  return a.user === b.user && a.channel === b.channel && a.thread === b.thread;
}

/** Takes back what the client said. */
export function unsay(id) {
  change((s) => {
    s.clientNotes = s.clientNotes.filter((note) => note.id !== id);
  });
}

/** Names people chose or typed become mention tokens, as a chat client sends them. */
export function withMentions(text) {
  const names = [...state.users.values()].map((user) => [`@${nameOf(user)}`, `<@${user.id}>`]);
  const channels = [...state.channels.values()]
    .filter((channel) => !channel.is_im)
    .map((channel) => [`#${channel.name}`, `<#${channel.id}>`]);
  const groups = [...state.groups.values()]
    .filter((group) => !group.is_disabled)
    .map((group) => [`@${group.handle}`, `<!subteam^${group.id}>`]);
  // A person's name goes before a group's handle.
  const table = new Map([...groups, ...names, ...channels]);
  const longestFirst = [...table.keys()].sort((a, b) => b.length - a.length).map(escapeRegExp);
  if (!longestFirst.length) return text;
  // Letters and digits may not follow, except Hangul: particles are written onto the name.
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}<])(?:${longestFirst.join("|")})(?![A-Za-z0-9_])`, "gu");
  return text.replace(pattern, (name) => table.get(name));
}

function escapeRegExp(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function patch(id, fields) {
  change((s) => {
    s.outbox = s.outbox.map((item) => (item.id === id ? { ...item, ...fields } : item));
  });
}

async function deliver(item) {
  const late = setTimeout(() => patch(item.id, { phase: "late" }), LATE_MS);
  try {
    await sendMessage({ ...item, text: withMentions(item.text) });
    discard(item.id);
  } catch (error) {
    patch(item.id, { phase: "failed", reason: error instanceof Refused && error.status ? error.message : null });
  } finally {
    clearTimeout(late);
  }
}

/** Sends a message; one that cannot be sent stays in the outbox. */
export function sendText(place, text) {
  const item = { id: (count += 1), ...place, text, phase: "sending" };
  change((s) => {
    s.outbox = [...s.outbox, item];
  });
  return deliver(item);
}

/** Sends a refused message again. */
export function retry(id) {
  const item = state.outbox.find((waiting) => waiting.id === id);
  if (!item) return undefined;
  patch(id, { phase: "sending" });
  return deliver(item);
}

/** Takes a message out of the outbox. */
export function discard(id) {
  change((s) => {
    s.outbox = s.outbox.filter((item) => item.id !== id);
  });
}

/** Sends a command. The place is told when the app is silent. False when it could not be sent at all. */
export async function runCommand(place, { command, text }) {
  const { words } = readingContext();
  try {
    const { acked } = await sendCommand({ ...place, command, text });
    if (acked === false) say(place, `⚠️ ${command}: ${words.noResponse}`);
    return true;
  } catch (error) {
    if (error.code === "timeout") {
      say(place, `⚠️ ${command}: ${words.noResponse}`);
      return true;
    }
    say(place, `${words.notSent}: ${error.status ? error.message : words.unreachable}`);
    return false;
  }
}

/** Starts the sample review in a channel. */
export const startSample = (place) => runCommand(place, SAMPLE);

/** Sends a typed line. True when the composer may be emptied; a refused line stays with the person. */
export async function submitLine(place, line) {
  const { words } = readingContext();
  const slash = /^(\/\S+)\s*([\s\S]*)$/.exec(line.trim());
  if (!slash) {
    sendText(place, line.trim());
    return true;
  }
  const [, command, text] = slash;
  if (!state.app?.commands?.some((known) => known.command === command)) {
    say(place, words.unknownCommand(command));
    return false;
  }
  // A chat client refuses this by itself; the app never hears of it.
  if (place.thread) {
    say(place, words.commandInThread(command));
    return false;
  }
  return runCommand(place, { command, text });
}
