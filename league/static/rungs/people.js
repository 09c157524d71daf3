// Copies a link or a line with one press; without this script users copy it from the field.
for (const key of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(key.dataset.copy);
  key.hidden = false;
  field.addEventListener("focus", () => field.select());
  key.addEventListener("click", async () => {
    if (key.dataset.line) {
      field.value = key.dataset.line;
    }
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      key.nextElementSibling.textContent = gettext("Copied.");
    } catch {
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
// A table by rounds begins at its newest round, which is the one that people come for.
for (const table of document.querySelectorAll("table.rounds")) {
  table.parentElement.scrollLeft = table.parentElement.scrollWidth;
}
