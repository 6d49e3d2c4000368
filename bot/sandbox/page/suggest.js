// What the composer offers while one types: commands after "/", people, groups and the app after "@".
import { h } from "./dom.js";
import { avatar } from "./people.js";
import { nameOf, roleOf } from "./context.js";
import { maySee } from "./conversation.js";
import { state } from "./state.js";

const MOST = 8;

/** The offers for a text with the caret at `caret`: {from, options: [{insert, title, detail, user?}]} or null. */
export function offersFor(text, caret, channelId) {
  const before = text.slice(0, caret);
  if (/^\/\S*$/.test(before)) {
    const options = (state.app?.commands ?? [])
      .filter(({ command }) => command.startsWith(before))
      .map(({ command, description, usage_hint: hint }) => ({
        insert: `${command} `,
        title: command,
        hint,
        detail: description,
      }));
    return options.length ? { from: 0, options } : null;
  }
  const found = /(?<![\p{L}\p{N}])@([\p{L}\p{N} ._-]{0,30})$/u.exec(before);
  if (!found) return null;
  const typed = found[1].toLocaleLowerCase();
  const options = [...state.users.values()]
    .filter((user) => maySee(user.id, channelId))
    .filter((user) => nameOf(user).toLocaleLowerCase().startsWith(typed) || user.name?.toLowerCase().startsWith(typed))
    .map((user) => ({ insert: `@${nameOf(user)} `, title: nameOf(user), detail: roleOf(user), user }))
    .concat(groupsFor(typed))
    .slice(0, MOST);
  // A finished name needs no offer.
  const finished =
    options.length === 1 && typed.trimEnd() === options[0].title.toLocaleLowerCase() && found[1].endsWith(" ");
  return options.length && !finished ? { from: found.index, options } : null;
}

function groupsFor(typed) {
  return [...state.groups.values()]
    .filter((group) => !group.is_disabled && group.handle.startsWith(typed))
    .map((group) => ({ insert: `@${group.handle} `, title: group.handle, detail: group.name }));
}

/** The list box for offers. `choose(option)` runs on click. */
export function makeSuggestions(id, choose) {
  const node = h("div", { id, class: "suggestions", role: "listbox", hidden: true });
  return {
    node,
    draw(offers, active, ctx) {
      node.hidden = !offers;
      node.setAttribute("aria-label", ctx.words.suggestions);
      node.replaceChildren(
        ...(offers?.options ?? []).map((option, index) =>
          h(
            "div",
            {
              id: `${id}-${index}`,
              role: "option",
              "aria-selected": String(index === active),
              // pointerdown, not click: the text must keep the focus.
              on: { pointerdown: (event) => (event.preventDefault(), choose(option)) },
            },
            option.user ? avatar(option.user, 24) : null,
            h("strong", {}, option.title),
            option.hint ? h("code", {}, option.hint) : null,
            option.detail ? h("small", {}, option.detail) : null,
          ),
        ),
      );
    },
  };
}
