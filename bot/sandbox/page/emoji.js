// Which picture a short code stands for. A small set: what reviews use, and what people type first.

const CODES = {
  white_check_mark: "✅", heavy_check_mark: "✔️", x: "❌", warning: "⚠️", alarm_clock: "⏰", hourglass: "⌛",
  hourglass_flowing_sand: "⏳", leftwards_arrow_with_hook: "↩️", arrow_right: "➡️", arrow_down: "⬇️", arrow_up: "⬆️",
  no_entry: "⛔", no_entry_sign: "🚫", lock: "🔒", unlock: "🔓", eyes: "👀", pencil: "📝", memo: "📝", pencil2: "✏️",
  page_facing_up: "📄", bookmark_tabs: "📑", paperclip: "📎", link: "🔗", mag: "🔍", bell: "🔔", speech_balloon: "💬",
  robot_face: "🤖", gear: "⚙️", rocket: "🚀", tada: "🎉", sparkles: "✨", bulb: "💡", question: "❓", exclamation: "❗",
  information_source: "ℹ️", repeat: "🔁", arrows_counterclockwise: "🔄", stopwatch: "⏱️", calendar: "📆", inbox_tray: "📥",
  outbox_tray: "📤", wastebasket: "🗑️", red_circle: "🔴", large_yellow_circle: "🟡", large_green_circle: "🟢",
  large_blue_circle: "🔵", white_circle: "⚪", black_circle: "⚫", "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎",
  wave: "👋", pray: "🙏", clap: "👏", ok_hand: "👌", raised_hands: "🙌", muscle: "💪", point_right: "👉", point_down: "👇",
  heart: "❤️", smile: "😄", slightly_smiling_face: "🙂", grinning: "😀", joy: "😂", thinking_face: "🤔", cry: "😢",
  fire: "🔥", star: "⭐", zap: "⚡", hundred: "💯", "100": "💯", moneybag: "💰", shield: "🛡️", handshake: "🤝",
};

/** The picture for a short code without its colons, or null. */
export function emojiFor(code) {
  return Object.hasOwn(CODES, code) ? CODES[code] : null;
}

/** `text` with its known short codes replaced. */
export function withEmoji(text) {
  return text.replace(/:([a-z0-9_+-]+):/g, (whole, code) => emojiFor(code) ?? whole);
}
