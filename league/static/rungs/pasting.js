// Keeps the text of recorded games in this tab: who undoes them has it again, to change it and to record it anew.
"use strict";
{
  const form = document.querySelector("form.paste");
  const box = form.elements.text;
  // What begins with pad- is deleted on signing out.
  const kept = `pad-pasted-${form.dataset.league}`;

  form.addEventListener("submit", (event) => {
    if (event.submitter?.name !== "_record") return;
    try {
      sessionStorage.setItem(kept, JSON.stringify([form.elements.once.value, box.value]));
    } catch {
      /* a browser that keeps nothing, or not so much */
    }
  });

  function refill(undone) {
    let batch, text;
    try {
      [batch, text] = JSON.parse(sessionStorage.getItem(kept) || "[]");
    } catch {
      return;
    }
    if (batch !== undone || box.value) return;
    box.value = text;
    document.getElementById("refilled").hidden = false;
  }

  const undone = new URLSearchParams(location.search).get("undone");
  if (undone) refill(undone);
}
