// How each kind of input looks and which value it holds. A value is a text, an option's value, a list of them, or null.
import { change, state } from "./state.js";
import { h } from "./dom.js";
import { drawText, plainText } from "./inline.js";
import { nameOf } from "./context.js";

const INITIAL = {
  plain_text_input: (e) => e.initial_value ?? "",
  number_input: (e) => e.initial_value ?? "",
  static_select: (e) => e.initial_option?.value ?? null,
  radio_buttons: (e) => e.initial_option?.value ?? null,
  checkboxes: (e) => (e.initial_options ?? []).map((option) => option.value),
  datepicker: (e) => e.initial_date ?? null,
  timepicker: (e) => e.initial_time ?? null,
  users_select: (e) => e.initial_user ?? null,
};

/** Whether an element of this type holds a value. */
export const isInput = (type) => type in INITIAL;

const draftKey = (surface, blockId, element) => `${surface.key}/${blockId ?? ""}/${element.action_id ?? element.type}`;

/** What the element holds now: what the person set, else what the app set. */
export function valueOf(surface, blockId, element) {
  const key = draftKey(surface, blockId, element);
  return state.drafts.has(key) ? state.drafts.get(key) : INITIAL[element.type](element);
}

/** Keeps a value without redrawing: the control already shows it. */
export function keepValue(surface, blockId, element, value) {
  state.drafts.set(draftKey(surface, blockId, element), value);
}

function textInput(element, field) {
  const tag = element.multiline ? "textarea" : "input";
  const input = h(tag, {
    ...field.attributes,
    class: "field",
    type: element.multiline ? null : element.type === "number_input" ? "number" : "text",
    step: element.is_decimal_allowed ? "any" : null,
    rows: element.multiline ? 4 : null,
    placeholder: plainText(element.placeholder) || null,
    maxlength: element.max_length ?? null,
    autocomplete: "off",
    value: field.value ?? "",
  });
  input.addEventListener("input", () => field.keep(input.value));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !element.multiline && !event.isComposing && field.commitsOnEnter) {
      event.preventDefault();
      field.commit(input.value);
    }
  });
  return input;
}

function optionNode(option, value) {
  return h("option", { value: option.value, selected: option.value === value }, plainText(option.text));
}

function selectOf(options, element, field, ctx) {
  const select = h(
    "select",
    { ...field.attributes, class: "field select" },
    h("option", { value: "", selected: field.value === null }, plainText(element.placeholder) || ctx.words.choose),
    ...options,
  );
  select.addEventListener("change", () => {
    field.keep(select.value || null);
    field.commit(select.value || null);
  });
  return select;
}

function staticSelect(element, field, ctx) {
  const options = element.option_groups
    ? element.option_groups.map((group) =>
        h(
          "optgroup",
          { label: plainText(group.label) },
          ...group.options.map((option) => optionNode(option, field.value)),
        ),
      )
    : (element.options ?? []).map((option) => optionNode(option, field.value));
  return selectOf(options, element, field, ctx);
}

function usersSelect(element, field, ctx) {
  const people = [...state.users.values()].filter((user) => !user.is_bot);
  const options = people.map((user) =>
    h("option", { value: user.id, selected: user.id === field.value }, nameOf(user)),
  );
  return selectOf(options, element, field, ctx);
}

function choices(kind) {
  return (element, field, ctx) => {
    const {
      id,
      "aria-label": label,
      "aria-labelledby": labelledBy,
      "aria-describedby": describedBy,
      ...each
    } = field.attributes;
    const isOn = (option) => (kind === "radio" ? field.value === option.value : field.value.includes(option.value));
    const inputs = (element.options ?? []).map((option, index) =>
      h("input", {
        ...each,
        type: kind,
        name: id,
        value: option.value,
        checked: isOn(option),
        "data-focus-key": `${each["data-focus-key"]}/${index}`,
        on: { change: () => settle() },
      }),
    );
    function settle() {
      const chosen = inputs.filter((input) => input.checked).map((input) => input.value);
      const value = kind === "radio" ? (chosen[0] ?? null) : chosen;
      field.keep(value);
      field.commit(value);
    }
    return h(
      "div",
      {
        id,
        class: "choices",
        role: kind === "radio" ? "radiogroup" : "group",
        tabindex: "-1",
        "aria-label": label,
        "aria-labelledby": labelledBy,
        "aria-describedby": describedBy,
      },
      ...(element.options ?? []).map((option, index) =>
        h(
          "label",
          { class: "choice" },
          inputs[index],
          h(
            "span",
            {},
            ...drawText(option.text, ctx),
            option.description ? h("small", {}, ...drawText(option.description, ctx)) : null,
          ),
        ),
      ),
    );
  };
}

function picker(type) {
  return (element, field) => {
    const input = h("input", { ...field.attributes, class: "field picker", type, value: field.value ?? "" });
    input.addEventListener("change", () => {
      field.keep(input.value || null);
      field.commit(input.value || null);
    });
    return input;
  };
}

const DRAW = {
  plain_text_input: textInput,
  number_input: textInput,
  static_select: staticSelect,
  users_select: usersSelect,
  radio_buttons: choices("radio"),
  checkboxes: choices("checkbox"),
  datepicker: picker("date"),
  timepicker: picker("time"),
};

/** The control for an input element. `attributes` go on the control; `commit` runs when a value is settled. */
export function drawInput(element, { surface, blockId, attributes, commit, commitsOnEnter = false }) {
  const field = {
    value: valueOf(surface, blockId, element),
    attributes,
    commitsOnEnter,
    keep(value) {
      keepValue(surface, blockId, element, value);
      const errors = state.viewErrors.get(surface.viewId);
      if (errors?.[blockId]) {
        // The complaint goes as soon as the person mends the field.
        change(() => {
          const { [blockId]: mended, ...rest } = errors;
          state.viewErrors.set(surface.viewId, rest);
        });
      }
    },
    commit,
  };
  return DRAW[element.type](element, field, surface.ctx);
}
