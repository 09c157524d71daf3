// Copies a link by one press. Without it the field is there to copy from.
for (const key of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(key.dataset.copy);
  key.hidden = false;
  field.addEventListener("focus", () => field.select());
  key.addEventListener("click", async () => {
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
// Prints the card of a link by one press; the browser's own menu does, too.
for (const key of document.querySelectorAll("[data-print]")) {
  key.hidden = false;
  key.addEventListener("click", () => window.print());
}
