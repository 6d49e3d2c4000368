// How parsed text looks: plain nodes -> DOM nodes, for one reader.
import { h } from "./dom.js";
import { fullMoment, writeDate } from "./clock.js";
import { parseMrkdwn, unescapeEntities } from "./mrkdwn.js";
import { openMessage, permalinkTarget } from "./navigate.js";
import { withEmoji } from "./emoji.js";

const TAGS = { bold: "strong", italic: "em", strike: "s", quote: "blockquote" };

/** A link whose real host can be seen: a label may not hide where it leads. */
export function drawLink(url, label) {
  const target = permalinkTarget(url);
  if (target) {
    const follow = (event) => (event.preventDefault(), openMessage(target));
    return h("a", { href: url, on: { click: follow } }, label || url);
  }
  let host = "";
  try {
    host = new URL(url).host || url.replace(/^mailto:/, "");
  } catch {
    host = url;
  }
  const text = label || url.replace(/^mailto:/, "");
  const shown = text.includes(host) ? null : h("span", { class: "link-host" }, ` (${host})`);
  const link = h("a", { href: url, target: "_blank", rel: "noopener noreferrer", title: url }, text);
  return shown ? h("span", {}, link, shown) : link;
}

function drawMention(text, isMe) {
  return h("span", { class: isMe ? "mention mention-me" : "mention" }, text);
}

function drawGroup(node, ctx) {
  const group = ctx.group(node.id);
  const handle = group?.handle ?? node.label?.replace(/^@/, "") ?? node.id;
  return drawMention(`@${handle}`, Boolean(group?.members.includes(ctx.reader.id)));
}

function drawDate(node, ctx) {
  const written = writeDate(node.unix, unescapeEntities(node.format), ctx.reader, ctx.now);
  if (written === null) return node.fallback;
  const time = h(
    "time",
    { datetime: new Date(node.unix * 1000).toISOString(), title: fullMoment(node.unix, ctx.reader) },
    written,
  );
  return node.url ? h("a", { href: node.url, target: "_blank", rel: "noopener noreferrer" }, time) : time;
}

const DRAW = {
  text: (node) => node.text,
  break: () => h("br"),
  code: (node) => h("code", {}, node.text),
  pre: (node) => h("pre", {}, node.text),
  link: (node) => drawLink(node.url, node.label),
  user: (node, ctx) => drawMention(`@${ctx.userName(node.id) ?? node.label ?? node.id}`, node.id === ctx.reader.id),
  channel: (node, ctx) => drawMention(`#${ctx.channelName(node.id) ?? node.label ?? node.id}`, false),
  group: drawGroup,
  broadcast: (node) => drawMention(`@${node.name}`, true),
  date: drawDate,
};

/** DOM nodes for parsed nodes. */
export function drawNodes(nodes, ctx) {
  return nodes.map((node) => {
    if (node.children) return h(TAGS[node.kind], {}, ...drawNodes(node.children, ctx));
    return DRAW[node.kind](node, ctx);
  });
}

/** DOM nodes for a mrkdwn text. */
export function drawMrkdwn(text, ctx) {
  return drawNodes(parseMrkdwn(text ?? ""), ctx);
}

/** DOM nodes for a text object ({type: plain_text | mrkdwn, text}) or a bare string. */
export function drawText(object, ctx) {
  if (!object) return [];
  if (typeof object === "string") return [withEmoji(object)];
  if (object.type === "mrkdwn") return drawMrkdwn(object.text, ctx);
  return plainText(object)
    .split("\n")
    .flatMap((line, index) => (index ? [h("br"), line] : [line]));
}

/** The words of a plain_text object. */
export function plainText(object) {
  if (!object) return "";
  const text = typeof object === "string" ? object : (object.text ?? "");
  const plain = unescapeEntities(text);
  return object.emoji === false ? plain : withEmoji(plain);
}
