// "Are you sure?": one question in a dialog, answered with yes or no.
import { readingContext } from "./context.js";
import { h } from "./dom.js";
import { rememberFocus } from "./focus.js";
import { drawText, plainText } from "./inline.js";

/** Shows a confirm object ({title, text, confirm, deny, style}); true when confirmed. Esc is no. */
export function askConfirm(confirm) {
  const ctx = readingContext();
  const giveFocusBack = rememberFocus();
  return new Promise((resolve) => {
    const answer = (value) => dialog.close(value);
    const style = confirm.style === "danger" ? "danger" : "primary";
    const dialog = h(
      "dialog",
      { class: "confirm", "aria-labelledby": "confirm-title", on: { close: done } },
      h("h2", { id: "confirm-title" }, plainText(confirm.title)),
      h("div", { class: "confirm-text" }, ...drawText(confirm.text, ctx)),
      h(
        "div",
        { class: "dialog-buttons" },
        h(
          "button",
          { type: "button", class: "button", on: { click: () => answer("no") } },
          plainText(confirm.deny) || ctx.words.cancel,
        ),
        h(
          "button",
          { type: "button", class: `button ${style}`, autofocus: true, on: { click: () => answer("yes") } },
          plainText(confirm.confirm) || ctx.words.confirm,
        ),
      ),
    );
    function done() {
      const yes = dialog.returnValue === "yes";
      dialog.remove();
      giveFocusBack();
      resolve(yes);
    }
    document.body.append(dialog);
    dialog.showModal();
  });
}
