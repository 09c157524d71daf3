// What do you play? Filters the templates while one types; Enter opens the only one that is left.
"use strict";
const picking = document.getElementById("picking");
const typed = picking.elements.q;
const nothing = document.querySelector("#nothing span:not(#hits)");
const hits = document.getElementById("hits");
const otherwise = nothing.querySelector("a");
const picks = [...document.querySelectorAll(".picks > li")];
const folds = document.querySelectorAll("details.another");
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

function filter() {
  const words = fold(typed.value).split(/\s+/);
  for (const pick of picks) pick.hidden = !words.every((word) => pick.dataset.words.includes(word));
  for (const others of folds) {
    others.hidden = !others.querySelector("li:not([hidden])");
    others.open = Boolean(typed.value.trim());
  }
  const left = picks.filter((pick) => !pick.hidden).length;
  nothing.hidden = left > 0;
  hits.textContent =
    left && typed.value.trim()
      ? interpolate(ngettext("%(count)s template", "%(count)s templates", left), { count: left }, true)
      : "";
  const address = new URL(otherwise.href);
  address.searchParams.set("game", typed.value.trim());
  otherwise.href = address.href;
}

// A page that was searched on the server has only what was found.
if (!typed.value) {
  typed.addEventListener("input", filter);
  picking.querySelector("button").hidden = true;
  picking.addEventListener("submit", (event) => {
    const left = picks.filter((pick) => !pick.hidden);
    event.preventDefault();
    if (left.length === 1) left[0].querySelector("a").click();
    else if (!left.length) otherwise.click();
  });
}
