// The moments that messages announce, and which of them comes next.
import { state } from "./state.js";

const known = new WeakMap();

/** The moments (Unix seconds) in a message's date tokens and rich-text dates. */
function momentsIn(message) {
  if (!known.has(message)) {
    const text = `${message.text ?? ""} ${JSON.stringify(message.blocks ?? [])}`;
    const found = text.matchAll(/<!date\^(\d{1,12})\^|"type":"date","timestamp":(\d{1,12})\b/g);
    known.set(message, [...new Set([...found].map(([, token, date]) => Number(token ?? date)))]);
  }
  return known.get(message);
}

/** The next moment after `now` that any message or private note shows, or null. */
export function nextDeadline(now) {
  const messages = [...state.messages.values()].flatMap((channel) => [...channel.values()]);
  const shown = [...messages, ...state.notes.map((note) => note.message)].flatMap(momentsIn);
  return shown.reduce((next, moment) => (moment > now && (next === null || moment < next) ? moment : next), null);
}
