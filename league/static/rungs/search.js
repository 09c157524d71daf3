// The key "/" moves the focus to the search of a page, else to that of the league's board.
document.addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.isContentEditable || target.closest("input, select, textarea")) return;
  const field = document.querySelector("main [type=search]");
  const board = document.querySelector(".lhead .tabs a");
  if (!field && !board) return;
  event.preventDefault();
  if (field) {
    field.closest("details")?.setAttribute("open", "");
    field.select();
  } else location.href = `${board.href}#q`;
});
