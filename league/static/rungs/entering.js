// The key that adds entries names how many: the ticked players and the pasted lines.
"use strict";
{
  const form = document.getElementById("adding");
  const key = form.querySelector("[name=_add]");
  const nothing = key.textContent;
  const lines = form.querySelector("textarea");

  function name() {
    const pasted = (lines?.value ?? "").split("\n").filter((line) => line.trim());
    const count = form.querySelectorAll("[name=player]:checked").length + pasted.length;
    const text = ngettext("Add %(count)s entry", "Add %(count)s entries", count);
    key.textContent = count ? interpolate(text, { count }, true) : nothing;
  }

  form.addEventListener("input", name);
  name();
}
