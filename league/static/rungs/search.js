// The key "/" moves the focus to the search of a page, else to that of the league's board, unless the switch in the
// board's filter turned it off in this browser.
const KEY = "slash-off";
const field = document.querySelector("main [type=search]");
const board = document.querySelector(".lhead .tabs a");
const button = document.querySelector("#slash");
let storage;
try {
  storage = localStorage;
} catch {
  // The browser allows no storage: the switch lasts until the page is left.
}
let off = Boolean(storage?.getItem(KEY));

const show = () => {
  button?.setAttribute("aria-pressed", String(!off));
  field?.toggleAttribute("data-no-key", off);
  if (off) field?.removeAttribute("aria-keyshortcuts");
  else field?.setAttribute("aria-keyshortcuts", "/");
};

show();
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    off = !off;
    if (off) storage?.setItem(KEY, "1");
    else storage?.removeItem(KEY);
    show();
  });
}
document.addEventListener("keydown", (event) => {
  const { target } = event;
  if (off || event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.isContentEditable || target.closest("input, select, textarea")) return;
  if (!field && !board) return;
  event.preventDefault();
  if (field) {
    field.closest("details")?.setAttribute("open", "");
    field.select();
  } else location.href = `${board.href}#q`;
});
