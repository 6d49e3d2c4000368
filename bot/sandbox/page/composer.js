// Where one writes: Enter sends, Shift+Enter breaks the line, and what was typed waits at its place.
import { h, icon } from "./dom.js";
import { readingContext } from "./context.js";
import { makeSuggestions, offersFor } from "./suggest.js";
import { samePlace, submitLine, unsay } from "./send.js";
import { showKeyed } from "./keyed.js";
import { state } from "./state.js";

const TALLEST_PX = 200;

const draftKey = (place) => `c:${place.user}:${place.channel}:${place.thread ?? ""}`;

function clientNote(note, ctx) {
  return {
    key: String(note.id),
    inputs: [note, ctx.words],
    draw: () =>
      h(
        "div",
        { class: "client-note" },
        h("span", {}, note.text),
        h("button", { type: "button", class: "link-button", on: { click: () => unsay(note.id) } }, ctx.words.dismiss),
      ),
  };
}

/** A composer with `draw(place, ctx, placeholder)`; `sent` runs after a line went out. */
export function makeComposer(id, sent) {
  let place = null;
  let offers = null;
  let active = 0;

  const suggestions = makeSuggestions(`${id}-suggestions`, choose);
  const text = h("textarea", {
    id,
    rows: 1,
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": `${id}-suggestions`,
    autocomplete: "off",
  });
  const button = h("button", { type: "submit", class: "send" }, icon("send", 16));
  const notes = h("div", { class: "client-notes", role: "status" });
  const form = h("form", { class: "composer-box" }, text, button);
  const closed = h("p", { class: "remark", hidden: true });
  const node = h("div", { class: "composer" }, notes, suggestions.node, form, closed);

  function grow() {
    text.style.height = "";
    // Empty, it has one line; in a hidden pane there is nothing to measure.
    if (text.value && text.scrollHeight) text.style.height = `${Math.min(text.scrollHeight, TALLEST_PX)}px`;
    button.disabled = !text.value.trim();
  }
  function show(next, index = 0) {
    offers = next;
    active = index;
    suggestions.draw(offers, active, readingContext());
    text.setAttribute("aria-expanded", String(Boolean(offers)));
    if (offers) text.setAttribute("aria-activedescendant", `${id}-suggestions-${active}`);
    else text.removeAttribute("aria-activedescendant");
  }
  function keep() {
    if (text.value) state.drafts.set(draftKey(place), text.value);
    else state.drafts.delete(draftKey(place));
    grow();
  }
  function choose(option) {
    text.setRangeText(option.insert, offers.from, text.selectionStart, "end");
    show(null);
    keep();
    text.focus();
  }
  async function submit() {
    const line = text.value;
    if (!line.trim()) return;
    const from = place;
    text.value = "";
    keep();
    show(null);
    const away = await submitLine(from, line);
    if (away) {
      sent();
    } else if (!state.drafts.get(draftKey(from))) {
      state.drafts.set(draftKey(from), line);
      if (samePlace(place, from)) fill();
    }
  }
  function fill() {
    text.value = state.drafts.get(draftKey(place)) ?? "";
    grow();
  }
  function onKey(event) {
    // While an input method composes (Korean), Enter ends the syllable, not the message.
    if (event.isComposing || event.keyCode === 229) return;
    if (offers) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        show(offers, (active + step + offers.options.length) % offers.options.length);
        return;
      }
      if ((event.key === "Enter" && !event.shiftKey) || event.key === "Tab") {
        event.preventDefault();
        choose(offers.options[active]);
        return;
      }
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        show(null);
        return;
      }
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      submit();
    }
  }

  text.addEventListener("input", () => {
    keep();
    show(offersFor(text.value, text.selectionStart, place.channel));
  });
  text.addEventListener("keydown", onKey);
  text.addEventListener("blur", () => show(null));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
    text.focus();
  });

  return {
    node,
    draw(nextPlace, ctx, placeholder) {
      const moved = !place || !samePlace(place, nextPlace);
      place = nextPlace;
      text.placeholder = placeholder;
      text.setAttribute("aria-label", placeholder);
      button.setAttribute("aria-label", ctx.words.send);
      form.hidden = Boolean(state.channels.get(place.channel)?.is_archived);
      closed.hidden = !form.hidden;
      closed.textContent = ctx.words.archived;
      if (moved) {
        fill();
        show(null);
      } else {
        grow();
      }
      showKeyed(
        notes,
        state.clientNotes.filter((note) => samePlace(note, place)).map((note) => clientNote(note, ctx)),
      );
    },
  };
}
