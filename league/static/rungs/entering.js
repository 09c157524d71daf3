// The key that adds entries names how many: the ticked players, who are one entry if there is a word for it, and the
// pasted lines.
"use strict";
{
  const form = document.getElementById("adding");
  const key = form.querySelector("[name=_add]");
  const nothing = key.textContent;
  const lines = form.querySelector("textarea");

  function name() {
    const pasted = (lines?.value ?? "").split("\n").filter((line) => line.trim());
    const { one } = form.dataset;
    const ticked = form.querySelectorAll("[name=player]:checked").length;
    const count = (one ? Math.min(1, ticked) : ticked) + pasted.length;
    const text = (count === 1 && one) || ngettext("Add %(count)s entry", "Add %(count)s entries", count);
    key.textContent = count ? interpolate(text, { count }, true) : nothing;
  }

  form.addEventListener("input", name);
  name();
}
