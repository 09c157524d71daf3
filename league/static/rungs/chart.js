// Hover and arrow keys for the history chart; the picture and the figures are there without it.
const figure = document.querySelector("figure.chart");
const plot = figure.querySelector(".plot");
const tip = plot.querySelector(".tip");
const cursor = plot.querySelector(".cursor");
const points = JSON.parse(document.getElementById("points").textContent);
const decimals = Number(figure.dataset.decimals);
const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: figure.dataset.zone });
let at = points.length - 1;

for (const label of plot.querySelectorAll(".scale span")) {
  label.style.top = `${(Number(label.dataset.y) / 260) * 100}%`;
}
figure.classList.add("live");

function shown(value) {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212");
}

function show(index) {
  at = Math.max(0, Math.min(points.length - 1, index));
  const point = points[at];
  cursor.setAttribute("x1", point.x);
  cursor.setAttribute("x2", point.x);
  cursor.setAttribute("visibility", "visible");
  tip.hidden = false;
  tip.textContent = `${shown(point.r)} · game ${point.n} · ${dates.format(new Date(point.t))}`;
  tip.style.left = `${point.x / 10}%`;
  tip.classList.toggle("right", point.x > 600);
}

function hide() {
  tip.hidden = true;
  cursor.setAttribute("visibility", "hidden");
}

plot.addEventListener("pointermove", (event) => {
  const box = plot.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * 1000;
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle].x < x) low = middle + 1;
    else high = middle;
  }
  show(low > 0 && x - points[low - 1].x < points[low].x - x ? low - 1 : low);
});
plot.addEventListener("pointerleave", hide);
plot.addEventListener("focus", () => show(at));
plot.addEventListener("blur", hide);
plot.addEventListener("click", () => { if (!tip.hidden) location.href = `${figure.dataset.base}${points[at].n}/`; });
plot.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: points.length - 1, PageUp: at - 10, PageDown: at + 10 }[event.key];
  if (step !== undefined) { event.preventDefault(); show(step); }
  if (event.key === "Enter") location.href = `${figure.dataset.base}${points[at].n}/`;
  if (event.key === "Escape") hide();
});
