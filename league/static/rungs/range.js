// Chooses the games in a player's chart with two handles on a small chart of all games; the server draws the chart.
const form = document.querySelector("form.range");
const [first, last] = form.querySelectorAll("input");
const [before, after] = form.querySelectorAll("rect");
const least = 10;

function mark() {
  const at = (input) => ((input.value - 1) / (input.max - 1)) * 1000;
  before.setAttribute("x", 0);
  before.setAttribute("width", at(first));
  after.setAttribute("x", at(last));
  after.setAttribute("width", 1000 - at(last));
}

form.addEventListener("input", (event) => {
  if (event.target === first) first.value = Math.min(first.value, last.value - least);
  else last.value = Math.max(last.value, +first.value + least);
  mark();
});
form.addEventListener("change", async () => {
  const address = new URL(location.href);
  address.searchParams.set("range", `${first.value}-${last.value}`);
  const answer = await fetch(address);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of ["nav.pick", ".gutter", ".hover", "figcaption"]) {
    document.querySelector(`#chart ${part}`).replaceWith(page.querySelector(`#chart ${part}`));
  }
  history.replaceState(null, "", address);
});
mark();
