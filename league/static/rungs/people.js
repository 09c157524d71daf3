// Copies a field, or the line of a key, with one press; without this script users copy it from the page.
for (const key of document.querySelectorAll("[data-copy], button[data-line]")) {
  const { copy, line } = key.dataset;
  const field = copy && document.getElementById(copy);
  key.hidden = false;
  field?.addEventListener("focus", () => field.select());
  key.addEventListener("click", async () => {
    field?.select();
    try {
      await navigator.clipboard.writeText(line ?? field.value);
      key.nextElementSibling.textContent = gettext("Copied.");
    } catch {
      // Browsers refuse addresses that are not secure.
      if (line) prompt(gettext("Copy it from the field."), line);
      else
        key.nextElementSibling.textContent = document.execCommand("copy")
          ? gettext("Copied.")
          : gettext("Copy it from the field.");
    }
  });
}
// Prints the card of a link with one press.
for (const key of document.querySelectorAll("[data-print]")) {
  key.hidden = false;
  key.addEventListener("click", () => window.print());
  // A key at the desk leads here to print.
  if (location.hash === "#print") addEventListener("load", () => window.print());
}
