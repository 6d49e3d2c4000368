// Who reads: the acting person with their language, zone and words, as every drawing function needs them.
import { sandboxNow, state } from "./state.js";
import { wordsFor } from "./words.js";

const DEFAULT_LOCALE = "en-US";

/** A person's name as people see it. */
export function nameOf(user) {
  return user?.real_name || user?.name || user?.id || "";
}

/** What a person is here: "author", "reviewer" … or an empty text. */
export function roleOf(user) {
  return user?.title ?? user?.profile?.title ?? "";
}

/** Everybody one can act as: no apps, and nobody whose account was deactivated. */
export const peopleToActAs = () => [...state.users.values()].filter((user) => !user.is_bot && !user.deleted);

function works(make) {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

function readerOf(user) {
  const locale = user?.locale || DEFAULT_LOCALE;
  const tz = user?.tz || "UTC";
  return {
    id: user?.id ?? null,
    locale: works(() => new Intl.DateTimeFormat(locale)) ? locale : DEFAULT_LOCALE,
    tz: works(() => new Intl.DateTimeFormat("en", { timeZone: tz })) ? tz : "UTC",
  };
}

/** The reading context of the acting person, made anew for each drawing. */
export function readingContext() {
  const reader = readerOf(state.users.get(state.acting));
  return {
    reader,
    words: wordsFor(reader.locale),
    now: sandboxNow(),
    userName: (id) => (state.users.has(id) ? nameOf(state.users.get(id)) : null),
    group: (id) => state.groups.get(id) ?? null,
    channelName: (id) => state.channels.get(id)?.name ?? null,
  };
}
