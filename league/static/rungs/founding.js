// A new league: derives the address from the title, sets the browser's time zone, and can use the suggested address.
"use strict";
const form = document.getElementById("founding");
const { title, slug, time_zone: zone } = form.elements;
const take = document.getElementById("take");
const made = (text) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[/.,:;&+|]/g, " ")
    .replace(/[^a-z0-9\s_-]/g, "")
    .trim()
    .replace(/[\s-]+/g, "-")
    .slice(0, 50)
    .replace(/^[-_]+|[-_]+$/g, "");
let own = slug.value !== "" && slug.value !== made(title.value);

title.addEventListener("input", () => {
  if (!own) slug.value = made(title.value);
});
slug.addEventListener("input", () => {
  own = slug.value !== "";
});
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const known = [...document.querySelectorAll("#zones option")].some((one) => one.value === here);
if (zone.value === "UTC" && known && !title.value) zone.value = here;
if (take) {
  take.hidden = false;
  take.addEventListener("click", () => {
    slug.value = take.dataset.free;
    own = true;
    take.hidden = true;
    slug.focus();
  });
}
