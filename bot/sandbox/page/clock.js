// How a moment is written for one reader: their zone, their language, hours from 0 to 23.

const formats = new Map();

function format(reader, options) {
  const key = JSON.stringify([reader.locale, reader.tz, options]);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(reader.locale, { timeZone: reader.tz, ...options }));
  return formats.get(key);
}

const at = (unix) => new Date(unix * 1000);

const write = (options) => (unix, reader) => format(reader, options).format(at(unix));

export const clockTime = write({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const clockTimeSeconds = write({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const dateNumbers = write({ year: "numeric", month: "2-digit", day: "2-digit" });
const dateShort = write({ year: "numeric", month: "short", day: "numeric" });
const dateMiddle = write({ year: "numeric", month: "long", day: "numeric" });
const dateLong = write({ year: "numeric", month: "long", day: "numeric", weekday: "long" });
const weekday = write({ month: "long", day: "numeric", weekday: "long" });

/** The calendar day a moment falls on for the reader, as a sortable text. */
export function dayOf(unix, reader) {
  const parts = format({ ...reader, locale: "en-CA" }, { year: "numeric", month: "2-digit", day: "2-digit" });
  return parts.format(at(unix));
}

function daysFromNow(unix, reader, now) {
  return Math.round((Date.parse(dayOf(unix, reader)) - Date.parse(dayOf(now, reader))) / 86_400_000);
}

function pretty(plain) {
  return (unix, reader, now) => {
    const days = daysFromNow(unix, reader, now);
    if (Math.abs(days) > 1) return plain(unix, reader);
    return new Intl.RelativeTimeFormat(reader.locale, { numeric: "auto" }).format(days, "day");
  };
}

/** "40 seconds ago", in the reader's language. */
export function ago(unix, reader, now) {
  const seconds = Math.round(unix - now);
  const size = Math.abs(seconds);
  const relative = new Intl.RelativeTimeFormat(reader.locale, { numeric: "always", style: "long" });
  if (size < 90) return relative.format(seconds, "second");
  if (size < 5400) return relative.format(Math.round(seconds / 60), "minute");
  if (size < 129_600) return relative.format(Math.round(seconds / 3600), "hour");
  return relative.format(Math.round(seconds / 86_400), "day");
}

const TOKENS = {
  date_num: dateNumbers,
  date: dateMiddle,
  date_short: dateShort,
  date_long: dateLong,
  date_pretty: pretty(dateMiddle),
  date_short_pretty: pretty(dateShort),
  date_long_pretty: pretty(dateLong),
  time: clockTime,
  time_secs: clockTimeSeconds,
  ago,
};

/** A date token's format with its {parts} written for the reader; null when a part is unknown or the moment is no number. */
export function writeDate(unix, formatText, reader, now) {
  let known = Number.isFinite(unix);
  if (!known) return null;
  const text = formatText.replace(/\{(\w+)\}/g, (whole, name) => {
    known &&= name in TOKENS;
    return known ? TOKENS[name](unix, reader, now) : whole;
  });
  return known ? text : null;
}

/** The words on a day divider. */
export function dayWords(unix, reader, now, words) {
  const days = daysFromNow(unix, reader, now);
  if (days === 0) return words.today;
  if (days === -1) return words.yesterday;
  return weekday(unix, reader);
}

/** The full moment, for tooltips. */
export function fullMoment(unix, reader) {
  return `${dateLong(unix, reader)} ${clockTimeSeconds(unix, reader)}`;
}
