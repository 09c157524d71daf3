// The proposal of a season: people can be dragged to another division, or moved by the arrow keys on "Move". Either
// fills the form, which asks for the reason; without a script "Move" is a link that does the same.
"use strict";
const form = document.getElementById("move");
const sections = [...document.querySelectorAll("#proposeddivisions > [data-division]")];

function choose(line, section) {
  const { player, to, reason } = form.elements;
  player.value = line.dataset.player;
  to.value = section.dataset.division;
  const name = player.selectedOptions[0].textContent.trim();
  document.getElementById("movehint").textContent = `${name} → ${to.selectedOptions[0].textContent.trim()}`;
  reason.focus();
}

for (const [at, section] of form ? sections.entries() : []) {
  for (const line of section.querySelectorAll("[data-player]")) {
    const grip = line.querySelector(".grip");
    if (!grip) continue;
    line.draggable = true;
    line.addEventListener("dragstart", (event) => {
      event.dataTransfer.setData("text/plain", line.dataset.player);
      event.dataTransfer.effectAllowed = "move";
      line.classList.add("held");
    });
    line.addEventListener("dragend", () => line.classList.remove("held"));
    grip.addEventListener("click", (event) => {
      event.preventDefault();
      choose(line, sections[at ? at - 1 : Math.min(1, sections.length - 1)]);
    });
    grip.addEventListener("keydown", (event) => {
      const other = { ArrowUp: sections[at - 1], ArrowDown: sections[at + 1] }[event.key];
      if (!other) return;
      event.preventDefault();
      choose(line, other);
    });
  }
  section.addEventListener("dragover", (event) => {
    event.preventDefault();
    section.classList.add("over");
  });
  section.addEventListener("dragleave", () => section.classList.remove("over"));
  section.addEventListener("drop", (event) => {
    event.preventDefault();
    section.classList.remove("over");
    const held = document.querySelector("[data-player].held");
    if (held && !section.contains(held)) choose(held, section);
  });
}
