// A search field that filters a list on the page; without this script the whole list is shown. A list that is shown
// once searched has before that only the rows that are ticked.
for (const field of document.querySelectorAll("[data-filter]")) {
  const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
  const rows = [...document.getElementById(field.dataset.filter).children];
  const filter = () => {
    const sought = fold(field.value);
    const waits = !sought && "onceSearched" in field.dataset;
    for (const row of rows) {
      row.hidden = waits ? !row.querySelector(":checked") : !fold(row.textContent).includes(sought);
    }
  };
  field.hidden = false;
  filter();
  field.addEventListener("input", filter);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
}
