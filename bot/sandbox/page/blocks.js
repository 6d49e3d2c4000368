// How each block of a message, modal or Home looks. A block this page cannot draw is shown as a box with its type.
import { drawElement, drawLabelled } from "./elements.js";
import { h } from "./dom.js";
import { isInput } from "./inputs.js";
import { drawMarkdown } from "./markdown.js";
import { drawText, plainText } from "./inline.js";
import { parseMrkdwn, plainWords } from "./mrkdwn.js";
import { drawRichText } from "./rich_text.js";
import { drawTableRows } from "./table.js";
import { failedPressIn } from "./press.js";
import { state } from "./state.js";

const LONG_TEXT = 700; // characters; above it a section without `expand` is folded
const QUESTION_LIMIT = 90;

function unknown(type, ctx) {
  return h("div", { class: "unknown-block" }, ctx.words.cannotDraw(type ?? "?"));
}

function drawFolded(content, ctx) {
  const text = h("div", { class: "folded" }, ...content);
  const button = h("button", { type: "button", class: "link-button", "aria-expanded": "false" }, ctx.words.showMore);
  button.addEventListener("click", () => {
    const open = text.classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? ctx.words.showLess : ctx.words.showMore;
  });
  return [text, button];
}

function section(block, surface) {
  const { ctx } = surface;
  const content = drawText(block.text, ctx);
  const long = !block.expand && (block.text?.text ?? "").length > LONG_TEXT;
  const accessory = block.accessory
    ? block.accessory.type === "image"
      ? drawImage(block.accessory, ctx, "accessory-image")
      : (drawElement(block.accessory, surface, block.block_id) ?? unknown(block.accessory.type, ctx))
    : null;
  return h(
    "div",
    { class: "section" },
    h(
      "div",
      { class: "section-body" },
      block.text ? h("div", { class: "text" }, ...(long ? drawFolded(content, ctx) : content)) : null,
      block.fields?.length
        ? h(
            "div",
            { class: "fields" },
            ...block.fields.map((field) => h("div", { class: "text" }, ...drawText(field, ctx))),
          )
        : null,
    ),
    accessory ? h("div", { class: "accessory" }, accessory) : null,
  );
}

/** An image of this server; any other address is named, not loaded. */
function drawImage(image, ctx, className) {
  const url = image.image_url ?? image.slack_file?.url ?? "";
  const address = URL.canParse(url, location.href) ? new URL(url, location.href) : null;
  const alt = image.alt_text ?? "";
  if (address?.origin === location.origin) return h("img", { class: className, src: address.href, alt });
  const host = address?.host ? ` · ${address.host}` : "";
  return h(
    "span",
    { class: `${className} image-absent`, role: "img", "aria-label": alt },
    `${alt} (${ctx.words.imageNotLoaded}${host})`,
  );
}

function image(block, { ctx }) {
  return h(
    "figure",
    {},
    block.title ? h("figcaption", {}, plainText(block.title)) : null,
    drawImage(block, ctx, "block-image"),
  );
}

function actions(block, surface) {
  return h(
    "div",
    { class: "actions" },
    ...(block.elements ?? []).map(
      (element) => drawElement(element, surface, block.block_id) ?? unknown(element.type, surface.ctx),
    ),
  );
}

function context(block, { ctx }) {
  return h(
    "div",
    { class: "context" },
    ...(block.elements ?? []).map((element) =>
      element.type === "image"
        ? drawImage(element, ctx, "context-image")
        : h("span", { class: "text" }, ...drawText(element, ctx)),
    ),
  );
}

function input(block, surface) {
  const { ctx } = surface;
  if (!isInput(block.element?.type)) return unknown(block.element?.type, ctx);
  const id = `${surface.key}/${block.block_id}`;
  const error = state.viewErrors.get(surface.viewId)?.[block.block_id];
  const described = [error ? `${id}/error` : null, block.hint ? `${id}/hint` : null].filter(Boolean).join(" ");
  return h(
    "div",
    { class: `input-block ${error ? "invalid" : ""}` },
    h(
      "label",
      { id: `${id}/label`, for: id },
      plainText(block.label),
      block.optional ? h("span", { class: "optional" }, ` (${ctx.words.optional})`) : null,
    ),
    drawLabelled(block.element, surface, block.block_id, {
      id,
      describedBy: described || null,
      invalid: Boolean(error),
      dispatches: Boolean(block.dispatch_action),
    }),
    error ? h("p", { id: `${id}/error`, class: "field-error", role: "alert" }, error) : null,
    block.hint ? h("p", { id: `${id}/hint`, class: "hint" }, plainText(block.hint)) : null,
  );
}

function table(block, { ctx }) {
  const align = (index) => block.column_settings?.[index]?.align ?? "left";
  const cell = (content, index) => ({
    align: content.type === "raw_number" && !block.column_settings?.[index] ? "right" : align(index),
    nodes: content.type === "rich_text" ? drawRichText(content, ctx) : [String(content.text ?? content.value ?? "")],
  });
  return drawTableRows((block.rows ?? []).map((row) => row.map(cell)));
}

const DRAW = {
  section,
  context,
  actions,
  input,
  image,
  table,
  divider: () => h("hr"),
  header: (block) => h("div", { class: "header-block", role: "heading", "aria-level": 3 }, plainText(block.text)),
  rich_text: (block, { ctx }) => h("div", { class: "text rich" }, ...drawRichText(block, ctx)),
  markdown: (block, { ctx }) => h("div", { class: "text rich" }, ...drawMarkdown(block.text ?? "", ctx)),
};

function drawBlock(block, surface) {
  try {
    return DRAW[block.type] ? DRAW[block.type](block, surface) : unknown(block.type, surface.ctx);
  } catch (error) {
    // One broken block must not take the conversation with it; the console says what was wrong.
    console.error("cannot draw block", block, error);
    return unknown(block?.type, surface.ctx);
  }
}

function failure(block, surface) {
  const press = failedPressIn(surface, block.block_id);
  if (!press) return null;
  const { noResponse, notSent } = surface.ctx.words;
  const text = press.phase === "silent" ? noResponse : `${notSent}: ${press.text}`;
  return h("p", { class: "press-failure", role: "status" }, h("span", { "aria-hidden": "true" }, "⚠️ "), text);
}

/** The nodes for a list of blocks on a surface ({key, ctx, question, send, viewId?}). */
export function drawBlocks(blocks, surface) {
  return blocks.flatMap((block) => [
    h("div", { class: "block", dataset: { type: block.type ?? "" } }, drawBlock(block, surface)),
    failure(block, surface) ?? [],
  ]);
}

/** What a card asks: its header, else the first bold words, else the first line. Used to name its buttons. */
export function questionOf(blocks) {
  const first = blocks.find((block) => ["header", "section"].includes(block.type) && block.text?.text);
  if (!first) return "";
  if (first.text.type === "plain_text") return plainText(first.text).slice(0, QUESTION_LIMIT);
  const nodes = parseMrkdwn(first.text.text);
  const bold = nodes.find((node) => node.kind === "bold");
  const end = nodes.findIndex((node) => node.kind === "break");
  const words = plainWords(bold ? bold.children : nodes.slice(0, end < 0 ? undefined : end));
  return words.trim().slice(0, QUESTION_LIMIT);
}
