// How people look: an avatar of their own colour, and a row of them to act as.
import { h, icon } from "./dom.js";
import { nameOf, peopleToActAs, roleOf } from "./context.js";
import { actAs } from "./navigate.js";
import { mentionsFor } from "./unread.js";
import { showKeyed } from "./keyed.js";
import { state } from "./state.js";

const COLOURS = ["#8d3b72", "#1f6f8b", "#a4501a", "#4a5fa5", "#5b6e2d", "#7a4bb0"];

function colourOf(user) {
  const own = /^#?([0-9a-f]{6})$/i.exec(user?.color ?? "");
  if (own) return `#${own[1]}`;
  const index = [...state.users.keys()].indexOf(user?.id);
  return COLOURS[Math.max(index, 0) % COLOURS.length];
}

/** Dark or light letters, whichever can be read on the colour. */
function lettersOn(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#1d1c1d" : "#ffffff";
}

/** A person's or the app's picture. It says nothing a name beside it does not say, so readers skip it. */
export function avatar(user, size = 36) {
  const isApp = user?.is_bot;
  const node = h(
    "span",
    { class: `avatar ${isApp ? "avatar-app" : ""} size-${size}`, "aria-hidden": "true" },
    isApp ? icon("check", size * 0.6) : ([...nameOf(user)][0] ?? "?"),
  );
  if (!isApp) {
    const colour = colourOf(user);
    node.style.backgroundColor = colour;
    node.style.color = lettersOn(colour);
  }
  return node;
}

function person(user, ctx) {
  const isActing = user.id === state.acting;
  const count = isActing ? 0 : mentionsFor(user.id);
  const role = roleOf(user);
  const name = [nameOf(user), role, count ? ctx.words.mentions(count) : ""].filter(Boolean).join(", ");
  return {
    key: user.id,
    inputs: [user, isActing, count, ctx.words],
    draw: () =>
      h(
        "button",
        {
          type: "button",
          role: "radio",
          class: "person",
          "aria-checked": String(isActing),
          "aria-label": name,
          title: name,
          tabindex: isActing ? "0" : "-1",
          "data-focus-key": "person",
          on: { click: () => actAs(user.id) },
        },
        avatar(user, 28),
        isActing ? h("span", { class: "person-name" }, nameOf(user), role ? h("small", {}, ` ${role}`) : null) : null,
        count ? h("span", { class: "badge", "aria-hidden": "true" }, String(count)) : null,
      ),
  };
}

/** The row in which one person is chosen; the others show how often they are waited for. */
export function drawPeople(row, ctx) {
  row.setAttribute("aria-label", ctx.words.actingAs);
  const people = peopleToActAs().map((user) => person(user, ctx));
  showKeyed(row, people);
  // On a narrow screen the row scrolls: who one acts as must stay in sight.
  if (row.dataset.acting === state.acting) return;
  row.dataset.acting = state.acting;
  row.querySelector("[aria-checked='true']")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** The empty row, with its arrow keys. */
export function makePeople() {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const row = h("div", { class: "people", role: "radiogroup" });
  row.addEventListener("keydown", (event) => {
    if (!(event.key in step)) return;
    event.preventDefault();
    const buttons = [...row.children];
    const now = buttons.findIndex((button) => button.getAttribute("aria-checked") === "true");
    const next = (now + step[event.key] + buttons.length) % buttons.length;
    actAs(buttons[next].dataset.key);
    queueMicrotask(() => row.children[next]?.focus());
  });
  return row;
}
