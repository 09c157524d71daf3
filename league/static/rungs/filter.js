// A search field that filters a list on the page; without this script the whole list is shown.
for (const field of document.querySelectorAll("[data-filter]")) {
  const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
  const rows = [...document.getElementById(field.dataset.filter).children];
  field.hidden = false;
  field.addEventListener("input", () => {
    for (const row of rows) row.hidden = !fold(row.textContent).includes(fold(field.value));
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
}
