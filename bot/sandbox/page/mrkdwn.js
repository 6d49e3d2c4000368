// What a mrkdwn text says: text -> plain nodes. Nothing here touches the page, so nothing here can be unsafe.
//
// Node kinds: text, bold, italic, strike, code, pre, quote, break, link{url, label}, user{id}, channel{id},
// group{id, label}, broadcast{name}, date{unix, format, fallback, url}.
import { emojiFor } from "./emoji.js";

const STYLES = { "*": "bold", _: "italic", "~": "strike" };
const WORD = /[\p{L}\p{N}]/u;
const BARE_URL = /https?:\/\/[^\s<>|"]+[^\s<>|".,;:!?)\]}'”’]/g;
const SAFE_URL = /^(https?:\/\/|mailto:)/i;

/** The three entities Slack knows; all others stay as they are. */
export function unescapeEntities(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** The address if it may be a link (http, https, mailto), else null. */
export function safeUrl(url) {
  return SAFE_URL.test(url) ? url : null;
}

function angle(inside) {
  const bar = inside.indexOf("|");
  const head = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? null : unescapeEntities(inside.slice(bar + 1));
  if (/^@[UWB][A-Z0-9]+$/.test(head)) return { kind: "user", id: head.slice(1), label };
  if (/^#[CGD][A-Z0-9]+$/.test(head)) return { kind: "channel", id: head.slice(1), label };
  if (/^!subteam\^\w+$/.test(head)) return { kind: "group", id: head.slice(9), label };
  if (/^!(here|channel|everyone)$/.test(head)) return { kind: "broadcast", name: head.slice(1) };
  if (head.startsWith("!date^")) {
    const [, unix, format, url] = head.split("^");
    return { kind: "date", unix: Number(unix), format: format ?? "", url: safeUrl(url ?? ""), fallback: label ?? "" };
  }
  const url = safeUrl(unescapeEntities(head));
  return url ? { kind: "link", url, label } : null;
}

function textNodes(text) {
  const plain = unescapeEntities(text);
  const nodes = [];
  let from = 0;
  for (const found of plain.matchAll(BARE_URL)) {
    if (found.index > from) nodes.push({ kind: "text", text: plain.slice(from, found.index) });
    nodes.push({ kind: "link", url: found[0], label: null });
    from = found.index + found[0].length;
  }
  if (from < plain.length) nodes.push({ kind: "text", text: plain.slice(from) });
  return nodes;
}

/** The index of the mark that closes the style opened at `start`, or -1. Code and <tokens> on the way are stepped over. */
function closing(line, start, mark) {
  for (let i = start + 1; i < line.length; i += 1) {
    if (line[i] === "`" || line[i] === "<") {
      const end = line.indexOf(line[i] === "`" ? "`" : ">", i + 1);
      if (end > 0) i = end;
    } else if (line[i] === mark && i > start + 1 && !/\s/.test(line[i - 1]) && !WORD.test(line[i + 1] ?? " ")) {
      return i;
    }
  }
  return -1;
}

const opens = (line, i, mark) =>
  !WORD.test(line[i - 1] ?? " ") && line[i + 1] !== mark && !/\s/.test(line[i + 1] ?? " ");

/** The nodes of one line. */
export function parseLine(line) {
  const nodes = [];
  let plain = "";
  const push = (node) => {
    if (plain) nodes.push(...textNodes(plain));
    plain = "";
    nodes.push(node);
  };
  for (let i = 0; i < line.length; i += 1) {
    const mark = line[i];
    if (mark === "<") {
      const end = line.indexOf(">", i);
      const node = end > i ? angle(line.slice(i + 1, end)) : null;
      if (node) {
        push(node);
        i = end;
        continue;
      }
    } else if (mark === "`") {
      const end = line.indexOf("`", i + 1);
      if (end > i + 1) {
        push({ kind: "code", text: unescapeEntities(line.slice(i + 1, end)) });
        i = end;
        continue;
      }
    } else if (mark in STYLES && opens(line, i, mark)) {
      const end = closing(line, i, mark);
      if (end > 0) {
        push({ kind: STYLES[mark], children: parseLine(line.slice(i + 1, end)) });
        i = end;
        continue;
      }
    } else if (mark === ":") {
      const code = /^:([a-z0-9_+-]+):/.exec(line.slice(i, i + 60));
      const picture = code && emojiFor(code[1]);
      if (picture) {
        plain += picture;
        i += code[0].length - 1;
        continue;
      }
    }
    plain += mark;
  }
  if (plain) nodes.push(...textNodes(plain));
  return nodes;
}

const QUOTE = /^(?:>|&gt;) ?/;
const QUOTE_REST = /^(?:>>>|&gt;&gt;&gt;) ?/;

function parseLines(text) {
  const nodes = [];
  const lines = text.split("\n");
  let quote = null;
  lines.forEach((line, index) => {
    if (QUOTE_REST.test(line)) {
      const rest = [line.replace(QUOTE_REST, ""), ...lines.splice(index + 1)];
      nodes.push({
        kind: "quote",
        children: rest.flatMap((l, n) => (n ? [{ kind: "break" }] : []).concat(parseLine(l))),
      });
      quote = null;
    } else if (QUOTE.test(line)) {
      const children = parseLine(line.replace(QUOTE, ""));
      if (quote) quote.children.push({ kind: "break" }, ...children);
      else nodes.push((quote = { kind: "quote", children }));
    } else {
      // A quote is a block of its own: the line after it needs no break.
      if (index > 0 && !quote) nodes.push({ kind: "break" });
      quote = null;
      nodes.push(...parseLine(line));
    }
  });
  return nodes;
}

/** All nodes of a mrkdwn text. */
export function parseMrkdwn(text) {
  return text.split(/```/).reduce((nodes, part, index, parts) => {
    const isPre = index % 2 === 1 && index < parts.length - 1;
    if (isPre) return nodes.concat({ kind: "pre", text: unescapeEntities(part.replace(/^\n|\n$/g, "")) });
    const unclosed = index % 2 === 1 ? "```" : "";
    // Line ends beside a code block belong to the block.
    const trimmed = (index > 0 && !unclosed ? part.replace(/^\n/, "") : part).replace(
      index < parts.length - 2 ? /\n$/ : /$^/,
      "",
    );
    return trimmed || unclosed ? nodes.concat(parseLines(unclosed + trimmed)) : nodes;
  }, []);
}

/** What is left of a text when all marks are taken away; `name` says how a mention reads. */
export function plainWords(nodes, name = (node) => node.label ?? node.id ?? "") {
  return nodes
    .map((node) => {
      if (node.children) return plainWords(node.children, name);
      if (node.kind === "break") return " ";
      if (node.kind === "link") return node.label ?? node.url;
      if (node.kind === "date") return node.fallback;
      if (node.kind === "broadcast") return `@${node.name}`;
      return node.text ?? name(node);
    })
    .join("");
}
