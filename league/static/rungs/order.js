// The order of games with the same time: rows can be dragged by their number, and ↑ and ↓ move them without reloading.
"use strict";
const form = document.getElementById("order");
const list = form.querySelector(".ordered");
const lines = () => [...list.children];

// The preview was of another order, so a new one is required before saving.
function moved() {
  form.elements.order.value = lines()
    .map((line) => line.dataset.number)
    .join(",");
  lines().forEach((line, place) => {
    line.querySelector("[data-grip]").textContent = place + 1;
    line.querySelector("[name=_up]").disabled = place === 0;
    line.querySelector("[name=_down]").disabled = place === lines().length - 1;
  });
  document.getElementById("write")?.remove();
  document.getElementById("tried").textContent = gettext("Not calculated yet.");
  form.querySelector("[name=_try]").classList.add("go");
}

list.addEventListener("click", (event) => {
  const key = event.target.closest("button");
  if (!key) return;
  event.preventDefault();
  const line = key.closest("li");
  if (key.name === "_up") line.previousElementSibling?.before(line);
  else line.nextElementSibling?.after(line);
  moved();
  (key.disabled ? line.querySelector("button:not([disabled])") : key).focus();
});

for (const line of lines()) {
  const grip = line.querySelector("[data-grip]");
  grip.classList.add("held-by");
  grip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    line.classList.add("held");
    const over = (move) => {
      // The other rows move around the dragged one, which would lose the pointer if it left the page.
      const before = line.previousElementSibling,
        after = line.nextElementSibling;
      if (before && move.clientY < before.getBoundingClientRect().top + before.offsetHeight / 2) line.after(before);
      else if (after && move.clientY > after.getBoundingClientRect().top + after.offsetHeight / 2) line.before(after);
    };
    const done = () => {
      line.classList.remove("held");
      grip.removeEventListener("pointermove", over);
      moved();
    };
    grip.addEventListener("pointermove", over);
    grip.addEventListener("lostpointercapture", done, { once: true });
  });
}
