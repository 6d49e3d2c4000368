// How a list is redrawn: nodes whose inputs did not change stay, so focus, selection and scroll stay too.

const signatures = new WeakMap();

const same = (a, b) => a?.length === b.length && b.every((value, index) => Object.is(value, a[index]));

/** Where the focus stands inside `node`, so that it can be found again in its successor. */
function focusIn(node) {
  const active = document.activeElement;
  if (!active || !node.contains(active)) return null;
  const selection = "selectionStart" in active ? [active.selectionStart, active.selectionEnd] : null;
  return { key: active.dataset.focusKey, selection };
}

function giveFocusBack(node, focus) {
  if (!focus) return;
  const heir = focus.key ? node.querySelector(`[data-focus-key="${CSS.escape(focus.key)}"]`) : null;
  // The pressed button may be gone with the answer: the message takes the focus, so the reader stays where they were.
  const target = heir ?? node;
  if (!heir) node.tabIndex = -1;
  target.focus({ preventScroll: true });
  if (heir && focus.selection?.[0] !== null && focus.selection) {
    try {
      heir.setSelectionRange(...focus.selection);
    } catch {
      // Inputs without a text selection have nothing to restore.
    }
  }
}

/** Makes `container` show `items` ({key, inputs, draw}) in order. `draw` runs only for new or changed inputs. */
export function showKeyed(container, items) {
  const before = new Map([...container.children].map((node) => [node.dataset.key, node]));
  let position = container.firstElementChild;
  for (const { key, inputs, draw } of items) {
    let node = before.get(key);
    before.delete(key);
    if (!node || !same(signatures.get(node), inputs)) {
      const fresh = draw();
      fresh.dataset.key = key;
      signatures.set(fresh, inputs);
      if (node) {
        const focus = focusIn(node);
        if (position === node) position = fresh;
        node.replaceWith(fresh);
        giveFocusBack(fresh, focus);
      }
      node = fresh;
    }
    if (node === position) position = position.nextElementSibling;
    else container.insertBefore(node, position);
  }
  for (const gone of before.values()) gone.remove();
}
