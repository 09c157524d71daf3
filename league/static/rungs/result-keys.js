// The keys that enter the result of a game of two with one press, on every page with a pad. Uses the names of pad.js;
// without scripts, the fields do.
"use strict";
{
  const results = document.getElementById("results");
  const keys = [...results.querySelectorAll("button")];
  const boxOf = (line) => score(line) || place(line);
  // Results that a key entered; the points of sets that are typed later tell another one.
  const given = new WeakSet();
  const readResults = () => seated().map((line) => writeHalf(boxOf(line).value || boxOf(line).placeholder));

  const readKey = (key) => key.dataset.results.split(" ").map(writeHalf);

  function enterResults(figures) {
    seated().forEach((line, at) => {
      boxOf(line).value = figures[at];
      typed.add(boxOf(line));
      given.add(boxOf(line));
    });
    explain("");
    update();
  }

  // The result as it stands; of sets that are still played, those won so far.
  function describeOutcome() {
    const [figures, won] = [readResults(), countSets()];
    if (figures.every(Boolean)) return formatResultOfTwo(figures);
    return won?.some(Boolean) ? won.join("–") : "";
  }

  function offer() {
    const rows = seated(),
      bySets = rows.some(hasWorksheet);
    if (bySets)
      for (const box of rows.map(boxOf).filter((each) => given.has(each))) {
        box.value = "";
        typed.delete(box);
        given.delete(box);
      }
    const [entered, isOfTwo] = [readResults().join(" "), rows.length === 2];
    results.hidden = !isOfTwo || bySets;
    form.classList.toggle("oftwo", rows.length <= 2);
    for (const key of keys) key.ariaPressed = String(isOfTwo && readKey(key).join(" ") === entered);
    document.getElementById("outcome").textContent = isOfTwo ? describeOutcome() : "";
  }

  for (const key of keys) key.addEventListener("click", () => enterResults(readKey(key)));
  form.addEventListener("updated", offer);
  offer();
}
