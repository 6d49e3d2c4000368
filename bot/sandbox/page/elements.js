// How each interactive element of a card looks, and what pressing it does.
import { h, icon } from "./dom.js";
import { drawInput, isInput, keepValue } from "./inputs.js";
import { plainText } from "./inline.js";
import { openMenu } from "./menu.js";
import { press, pressOf } from "./press.js";
import { safeUrl } from "./mrkdwn.js";

/** What every interactive node carries, so that people, readers and tests find it. */
function marks(element, surface, blockId) {
  return {
    "data-action-id": element.action_id ?? "",
    "data-block-id": blockId ?? "",
    "data-focus-key": `${blockId ?? ""}/${element.action_id ?? ""}`,
    "aria-busy": pressOf(surface, blockId, element.action_id)?.phase === "busy" ? "true" : null,
  };
}

/** "Publish, Publish this draft?": what the press does and to what. */
function nameFor(text, surface) {
  return surface.question && surface.question !== text ? `${text}, ${surface.question}` : text;
}

function drawButton(element, surface, blockId) {
  const busy = pressOf(surface, blockId, element.action_id)?.phase === "busy";
  const text = plainText(element.text);
  const url = safeUrl(element.url ?? "");
  const style = ["primary", "danger"].includes(element.style) ? element.style : "";
  return h(
    url ? "a" : "button",
    {
      ...marks(element, surface, blockId),
      class: `button ${style} ${busy ? "busy" : ""}`,
      type: url ? null : "button",
      href: url,
      target: url ? "_blank" : null,
      rel: url ? "noopener noreferrer" : null,
      "aria-label": element.accessibility_label || nameFor(text, surface),
      on: { click: () => press(surface, { blockId, element, value: element.value }) },
    },
    busy ? h("span", { class: "spinner", "aria-hidden": "true" }) : null,
    h("span", { class: "button-text" }, text),
  );
}

function drawOverflow(element, surface, blockId) {
  const busy = pressOf(surface, blockId, element.action_id)?.phase === "busy";
  const { words } = surface.ctx;
  const button = h(
    "button",
    {
      ...marks(element, surface, blockId),
      class: `button overflow ${busy ? "busy" : ""}`,
      type: "button",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "aria-label": nameFor(words.more, surface),
    },
    busy ? h("span", { class: "spinner", "aria-hidden": "true" }) : icon("more"),
  );
  button.addEventListener("click", () => {
    const items = (element.options ?? []).map((option) => ({
      label: plainText(option.text),
      description: plainText(option.description),
      choose() {
        const url = safeUrl(option.url ?? "");
        if (url) window.open(url, "_blank", "noopener,noreferrer");
        press(surface, { blockId, element, value: option.value });
      },
    }));
    openMenu(button, items, nameFor(words.more, surface));
  });
  return button;
}

function drawValueElement(element, surface, blockId) {
  const label = plainText(element.placeholder) || surface.ctx.words.choose;
  return drawInput(element, {
    surface,
    blockId,
    attributes: {
      id: `${surface.key}/${blockId}/${element.action_id}`,
      ...marks(element, surface, blockId),
      "aria-label": nameFor(label, surface),
    },
    commitsOnEnter: true,
    async commit(value) {
      if (value === null && element.type === "static_select") return;
      const went = await press(surface, { blockId, element, value });
      // A refused or abandoned choice does not stay in the control as if it had been made.
      if (!went && element.type === "static_select")
        keepValue(surface, blockId, element, element.initial_option?.value ?? null);
    },
  });
}

/** The node for an element in an actions block or beside a section; null for a type this page does not know. */
export function drawElement(element, surface, blockId) {
  if (element.type === "button") return drawButton(element, surface, blockId);
  if (element.type === "overflow") return drawOverflow(element, surface, blockId);
  if (isInput(element.type)) return drawValueElement(element, surface, blockId);
  return null;
}

/** The control inside an input block, named by the block's label. */
export function drawLabelled(element, surface, blockId, { id, describedBy, invalid, dispatches }) {
  return drawInput(element, {
    surface,
    blockId,
    attributes: {
      id,
      ...marks(element, surface, blockId),
      "aria-labelledby": `${id}/label`,
      "aria-describedby": describedBy,
      "aria-invalid": invalid ? "true" : null,
    },
    commitsOnEnter: dispatches,
    commit: (value) => dispatches && press(surface, { blockId, element, value }),
  });
}
