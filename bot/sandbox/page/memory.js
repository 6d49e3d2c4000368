// What the browser keeps for the next visit.

/** Keeps `value` for the next visit; null forgets it. Storage may be switched off, then nothing is kept. */
export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // A page that cannot remember still works.
  }
}

/** What was kept under `key`, or null. */
export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
