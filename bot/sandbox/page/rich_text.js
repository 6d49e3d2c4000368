// How a rich_text block reads: paragraphs, lists, quotes and code made of styled pieces.
import { emojiFor } from "./emoji.js";
import { h } from "./dom.js";
import { drawNodes } from "./inline.js";
import { safeUrl } from "./mrkdwn.js";

const STYLE_KINDS = [
  ["code", "code"],
  ["bold", "bold"],
  ["italic", "italic"],
  ["strike", "strike"],
];

const NODE = {
  text: (e) => ({ kind: "text", text: e.text ?? "" }),
  link: (e) =>
    safeUrl(e.url ?? "")
      ? { kind: "link", url: e.url, label: e.text ?? null }
      : { kind: "text", text: e.text ?? e.url ?? "" },
  user: (e) => ({ kind: "user", id: e.user_id }),
  channel: (e) => ({ kind: "channel", id: e.channel_id }),
  usergroup: (e) => ({ kind: "group", id: e.usergroup_id, label: null }),
  broadcast: (e) => ({ kind: "broadcast", name: e.range }),
  emoji: (e) => ({ kind: "text", text: emojiFor(e.name) ?? `:${e.name}:` }),
  date: (e) => ({
    kind: "date",
    unix: e.timestamp,
    format: e.format ?? "",
    url: safeUrl(e.url ?? ""),
    fallback: e.fallback ?? "",
  }),
};

function styled(node, style = {}) {
  return STYLE_KINDS.filter(([name]) => style[name]).reduce((inner, [, kind]) => {
    if (kind === "code") return inner.kind === "text" ? { kind: "code", text: inner.text } : inner;
    return { kind, children: [inner] };
  }, node);
}

function lines(element) {
  const make = NODE[element.type];
  if (!make) return [{ kind: "text", text: element.text ?? `[${element.type}]` }];
  const node = make(element);
  if (node.kind !== "text" || !node.text.includes("\n")) return [styled(node, element.style)];
  return node.text
    .split("\n")
    .flatMap((text, index) =>
      (index ? [{ kind: "break" }] : []).concat(text ? styled({ kind: "text", text }, element.style) : []),
    );
}

const inlineOf = (element, ctx) => drawNodes((element.elements ?? []).flatMap(lines), ctx);

const PART = {
  rich_text_section: (part, ctx) => h("p", {}, ...inlineOf(part, ctx)),
  rich_text_quote: (part, ctx) => h("blockquote", {}, ...inlineOf(part, ctx)),
  rich_text_preformatted: (part, ctx) => h("pre", {}, ...inlineOf(part, ctx)),
  rich_text_list: (part, ctx) =>
    h(
      part.style === "ordered" ? "ol" : "ul",
      { class: `indent-${Math.min(part.indent ?? 0, 8)}`, start: part.offset ? part.offset + 1 : null },
      ...(part.elements ?? []).map((item) => h("li", {}, ...inlineOf(item, ctx))),
    ),
};

/** The nodes of a rich_text block (or of a rich_text table cell). */
export function drawRichText(block, ctx) {
  return (block.elements ?? []).map((part) => PART[part.type]?.(part, ctx) ?? h("p", {}, `[${part.type}]`));
}
