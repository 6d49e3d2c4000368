// How a markdown block reads: a small subset (headings, lists, quotes, code, tables, bold, italic, strike, links).
import { h } from "./dom.js";
import { drawNodes } from "./inline.js";
import { safeUrl } from "./mrkdwn.js";
import { drawTableRows } from "./table.js";
import { withEmoji } from "./emoji.js";

// One alternative per mark, tried in this order at each place; named groups say which one it was.
const MARKS = new RegExp(
  [
    "`(?<code>[^`]+)`",
    "\\[(?<label>[^\\]]+)\\]\\((?<url>[^)\\s]+)\\)",
    "\\*\\*(?<bold>\\S(?:.*?\\S)?)\\*\\*",
    "~~(?<strike>\\S(?:.*?\\S)?)~~",
    "\\*(?<italic>[^\\s*](?:[^*]*[^\\s*])?)\\*",
    "(?<![\\p{L}\\p{N}])_(?<under>[^\\s_](?:[^_]*[^\\s_])?)_(?![\\p{L}\\p{N}])",
    "(?<bare>https?:\\/\\/[^\\s<>)]+)",
  ].join("|"),
  "gu",
);

/** The nodes of one line of Markdown. */
export function parseMarkdownLine(line) {
  const nodes = [];
  let from = 0;
  for (const found of line.matchAll(MARKS)) {
    if (found.index > from) nodes.push({ kind: "text", text: withEmoji(line.slice(from, found.index)) });
    const { code, label, url, bold, strike, italic, under, bare } = found.groups;
    if (code) nodes.push({ kind: "code", text: code });
    else if (url) nodes.push(safeUrl(url) ? { kind: "link", url, label } : { kind: "text", text: found[0] });
    else if (bare) nodes.push({ kind: "link", url: bare, label: null });
    else if (bold) nodes.push({ kind: "bold", children: parseMarkdownLine(bold) });
    else if (strike) nodes.push({ kind: "strike", children: parseMarkdownLine(strike) });
    else nodes.push({ kind: "italic", children: parseMarkdownLine(italic ?? under) });
    from = found.index + found[0].length;
  }
  if (from < line.length) nodes.push({ kind: "text", text: withEmoji(line.slice(from)) });
  return nodes;
}

const KINDS = [
  ["fence", /^```/],
  ["heading", /^(#{1,6}) +(.*)$/],
  ["rule", /^ *(?:-{3,}|\*{3,}) *$/],
  ["quote", /^> ?(.*)$/],
  ["bullet", /^ *[-*•] +(.*)$/],
  ["ordered", /^ *\d+[.)] +(.*)$/],
  ["table", /^ *\|.*\| *$/],
  ["blank", /^\s*$/],
];

const kindOf = (line) => KINDS.find(([, pattern]) => pattern.test(line))?.[0] ?? "text";
const inside = (line, kind) =>
  KINDS.find(([name]) => name === kind)[1]
    .exec(line)
    .at(-1);
const inline = (line, ctx) => drawNodes(parseMarkdownLine(line), ctx);

function joined(lines, ctx) {
  return lines.flatMap((line, index) => (index ? [h("br")] : []).concat(inline(line, ctx)));
}

const GROUP = {
  heading: (lines, ctx) =>
    lines.map((line) =>
      h("p", { class: "md-heading", role: "heading", "aria-level": 4 }, ...inline(inside(line, "heading"), ctx)),
    ),
  rule: () => h("hr"),
  quote: (lines, ctx) =>
    h(
      "blockquote",
      {},
      ...joined(
        lines.map((line) => inside(line, "quote")),
        ctx,
      ),
    ),
  bullet: (lines, ctx) => h("ul", {}, ...lines.map((line) => h("li", {}, ...inline(inside(line, "bullet"), ctx)))),
  ordered: (lines, ctx) =>
    h(
      "ol",
      { start: parseInt(lines[0], 10) },
      ...lines.map((line) => h("li", {}, ...inline(inside(line, "ordered"), ctx))),
    ),
  table: (lines, ctx) =>
    drawTableRows(
      lines
        .filter((line) => !/^[\s|:-]+$/.test(line))
        .map((line) =>
          line
            .trim()
            .slice(1, -1)
            .split("|")
            .map((cell) => ({ nodes: inline(cell.trim(), ctx), align: "left" })),
        ),
    ),
  text: (lines, ctx) => h("p", {}, ...joined(lines, ctx)),
  blank: () => [],
};

/** The nodes of a whole Markdown text. */
export function drawMarkdown(text, ctx) {
  const lines = text.split("\n");
  const nodes = [];
  for (let i = 0; i < lines.length;) {
    const kind = kindOf(lines[i]);
    let end = i + 1;
    if (kind === "fence") {
      while (end < lines.length && !lines[end].startsWith("```")) end += 1;
      nodes.push(h("pre", {}, lines.slice(i + 1, end).join("\n")));
      i = end + 1;
      continue;
    }
    while (end < lines.length && kindOf(lines[end]) === kind) end += 1;
    nodes.push(GROUP[kind](lines.slice(i, end), ctx));
    i = end;
  }
  return nodes.flat();
}
