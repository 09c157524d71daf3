// The order of games of one time: lines are dragged by their number, ↑ and ↓ move them without a new page.
"use strict";
const form = document.getElementById("order");
const list = form.querySelector(".ordered");
const lines = () => [...list.children];

// What was worked out was of another order: it must be shown anew before it can be written.
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
  document.getElementById("tried").textContent = gettext("Not worked out yet.");
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
      // The others step round the one that is held: who is taken out of the page loses the pointer.
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
