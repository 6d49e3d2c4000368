// A small menu under the button that opened it: arrow keys move, Enter chooses, Esc closes and gives the focus back.
import { h } from "./dom.js";

/** Opens a menu at `anchor` with items ({label, description?, choose}). */
export function openMenu(anchor, items, label) {
  document.querySelector(".menu")?.remove();
  const buttons = items.map(({ label: text, description, choose }) =>
    h(
      "button",
      { type: "button", role: "menuitem", tabindex: "-1", on: { click: () => (close(), choose()) } },
      h("span", {}, text),
      description ? h("small", {}, description) : null,
    ),
  );
  // Inside a modal dialog only its own children can be reached, so the menu is hung there.
  const host = anchor.closest("dialog") ?? document.body;
  const menu = h("div", { class: "menu", role: "menu", "aria-label": label, on: { keydown: move } }, ...buttons);

  function close() {
    menu.remove();
    anchor.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    anchor.focus({ preventScroll: true });
  }
  function outside(event) {
    if (menu.contains(event.target) || anchor.contains(event.target)) return;
    menu.remove();
    anchor.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
  }
  function move(event) {
    const now = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      buttons[(to + buttons.length) % buttons.length].focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  }

  host.append(menu);
  anchor.setAttribute("aria-expanded", "true");
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + menu.offsetHeight + 8 < innerHeight;
  menu.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - menu.offsetHeight - 4)}px`;
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - menu.offsetWidth - 8))}px`;
  document.addEventListener("pointerdown", outside, true);
  buttons[0]?.focus();
}
