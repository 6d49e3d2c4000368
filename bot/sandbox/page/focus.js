// Where the focus stood before a dialog, found again even when its card was redrawn meanwhile.

/** Remembers the focus; the function given back returns it, or gives it to `fallback`. */
export function rememberFocus(fallback = () => null) {
  const element = document.activeElement;
  const key = element?.dataset?.focusKey;
  const scope = element?.closest("#thread, #channel");
  const ts = element?.closest("[data-ts]")?.dataset.ts;
  return () => {
    const message = ts && scope?.querySelector(`[data-ts="${CSS.escape(ts)}"]`);
    const heir = key && message?.querySelector(`[data-focus-key="${CSS.escape(key)}"]`);
    if (message && !heir) message.tabIndex = -1;
    const target = element?.isConnected && element !== document.body ? element : (heir ?? message ?? fallback());
    target?.focus({ preventScroll: true });
  };
}
