// The chosen theme, set before the first paint so that a remembered choice never flashes the other one.
try {
  const chosen = localStorage.getItem("sandbox.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be switched off; the page then follows the system.
}
