// A link to a heading whose section is folded unfolds it. Without this script, the sheet shows the section.
function unfold() {
  const heading = document.getElementById(location.hash.slice(1));
  const folded = heading?.closest(".foldable")?.querySelector("details");
  if (folded) folded.open = true;
}

addEventListener("hashchange", unfold);
unfold();
