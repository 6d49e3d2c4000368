// The modal on top of the person's stack: its fields, its complaints, and the way out.
import { change, state } from "./state.js";
import { closeView, pressInView, submitView } from "./api.js";
import { drawBlocks } from "./blocks.js";
import { h, icon } from "./dom.js";
import { rememberFocus } from "./focus.js";
import { isInput, valueOf } from "./inputs.js";
import { plainText } from "./inline.js";
import { pressSignature } from "./press.js";
import { readingContext } from "./context.js";
import { showKeyed } from "./keyed.js";

const busy = new Map(); // view id -> "busy" | "silent" | words of a refusal
let giveFocusBack = null;

function surfaceOf(view, ctx) {
  const user = state.acting;
  return {
    key: `v:${view.id}`,
    viewId: view.id,
    ctx,
    question: plainText(view.title),
    send: ({ actionId, blockId, value }) => pressInView({ user, viewId: view.id, actionId, blockId, value }),
  };
}

const inputsOf = (view) =>
  (view.blocks ?? []).filter((block) => block.type === "input" && isInput(block.element?.type));

const isEmpty = (value) => value === null || value === "" || (Array.isArray(value) && !value.length);

/** What the client itself refuses before the app is asked: {block id: words}. */
function complaints(view, surface, words) {
  const found = {};
  for (const block of inputsOf(view)) {
    const value = valueOf(surface, block.block_id, block.element);
    if (isEmpty(value)) {
      if (!block.optional) found[block.block_id] = words.required;
    } else if (block.element.min_length > value.length) {
      found[block.block_id] = words.tooShort(block.element.min_length);
    } else if (block.element.max_length < value.length) {
      found[block.block_id] = words.tooLong(block.element.max_length);
    }
  }
  return found;
}

function valuesOf(view, surface) {
  const values = {};
  for (const block of view.blocks ?? []) {
    const elements =
      block.type === "input" ? [block.element] : block.type === "actions" ? block.elements : [block.accessory];
    for (const element of (elements ?? []).filter((e) => e && isInput(e.type))) {
      const value = valueOf(surface, block.block_id, element);
      (values[block.block_id] ??= {})[element.action_id] = value === "" ? null : value;
    }
  }
  return values;
}

function complain(view, errors) {
  change((s) => s.viewErrors.set(view.id, errors));
  queueMicrotask(() => document.querySelector("dialog.modal [aria-invalid='true']")?.focus());
}

async function submit(view) {
  if (busy.get(view.id) === "busy") return;
  const ctx = readingContext();
  const surface = surfaceOf(view, ctx);
  const errors = complaints(view, surface, ctx.words);
  if (Object.keys(errors).length) {
    complain(view, errors);
    return;
  }
  change((s) => {
    busy.set(view.id, "busy");
    s.viewErrors.delete(view.id);
  });
  try {
    const answer = await submitView({ user: state.acting, viewId: view.id, values: valuesOf(view, surface) });
    // An answer that cannot be used (`error`) is shown as none, as a chat client does.
    const silent = !answer.errors && (answer.acked === false || answer.error);
    change(() => (silent ? busy.set(view.id, "silent") : busy.delete(view.id)));
    if (answer.errors) complain(view, answer.errors);
  } catch (error) {
    change(() => busy.set(view.id, error.status ? error.message : "silent"));
  }
}

async function close(view) {
  const user = state.acting;
  change((s) => {
    s.views = s.views.filter((open) => open.view.id !== view.id);
  });
  // Closed for this person either way; the app is told when it can be.
  await closeView({ user, viewId: view.id }).catch(() => {});
}

function drawView(view, ctx) {
  const { words } = ctx;
  const surface = surfaceOf(view, ctx);
  const trouble = busy.get(view.id);
  const isBusy = trouble === "busy";
  const submits = view.submit || inputsOf(view).length > 0;
  const form = h(
    "form",
    { class: "modal-form", novalidate: true, "data-view-id": view.id },
    h(
      "header",
      { class: "modal-head" },
      h("h2", { id: "modal-title" }, plainText(view.title)),
      h(
        "button",
        { type: "button", class: "tool", "aria-label": words.close, on: { click: () => close(view) } },
        icon("close", 18),
      ),
    ),
    h("div", { class: "modal-body content" }, ...drawBlocks(view.blocks ?? [], surface)),
    trouble && !isBusy
      ? h(
          "p",
          { class: "press-failure", role: "alert" },
          h("span", { "aria-hidden": "true" }, "⚠️ "),
          trouble === "silent" ? words.noResponse : `${words.notSent}: ${trouble}`,
        )
      : null,
    h(
      "footer",
      { class: "dialog-buttons" },
      h(
        "button",
        { type: "button", class: "button", on: { click: () => close(view) } },
        plainText(view.close) || (submits ? words.cancel : words.close),
      ),
      submits
        ? h(
            "button",
            {
              type: "submit",
              class: `button primary ${isBusy ? "busy" : ""}`,
              "aria-busy": isBusy ? "true" : null,
              "data-focus-key": "submit",
            },
            isBusy ? h("span", { class: "spinner", "aria-hidden": "true" }) : null,
            h("span", { class: "button-text" }, plainText(view.submit) || words.submit),
          )
        : null,
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(view);
  });
  return form;
}

function focusFirst(dialog) {
  (
    dialog.querySelector(".modal-body :is(input, textarea, select)") ??
    dialog.querySelector("[type='submit'], .modal-head .tool")
  )?.focus();
}

/** Gives `draw(ctx)`, which shows the top of the acting person's stack or closes the dialog. */
export function makeModal() {
  const dialog = h("dialog", { class: "modal", "aria-labelledby": "modal-title" });
  document.body.append(dialog);
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    const top = state.views.filter((open) => open.user === state.acting).at(-1);
    if (top) close(top.view);
  });
  let shown = null;

  return (ctx) => {
    const stack = state.views.filter((open) => open.user === state.acting);
    const view = stack.at(-1)?.view;
    if (!view) {
      if (dialog.open) {
        dialog.close();
        dialog.replaceChildren();
        giveFocusBack();
      }
      shown = null;
      return;
    }
    if (!dialog.open) {
      giveFocusBack = rememberFocus(
        () => document.querySelector("#thread:not([hidden]) textarea") ?? document.getElementById("composer"),
      );
      dialog.showModal();
    }
    dialog.dataset.depth = String(stack.length);
    const errors = state.viewErrors.get(view.id);
    const inputs = [view, errors, busy.get(view.id), ctx.words, pressSignature(`v:${view.id}`)];
    showKeyed(dialog, [{ key: view.id, inputs, draw: () => drawView(view, ctx) }]);
    if (shown !== view.id) focusFirst(dialog);
    shown = view.id;
  };
}
