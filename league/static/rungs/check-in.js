// Check-in: counts who is ticked.
"use strict";
const here = document.querySelector("[data-here]");
here?.closest("form").addEventListener("change", (event) => {
  here.textContent = event.currentTarget.querySelectorAll("[name=entry]:checked").length;
});
