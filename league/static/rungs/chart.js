// Adds a cross-hair to every chart, for pointer, touch and keys; its stops come with the chart.
// The listeners are on the document, so that charts which are swapped in later have it too.
const charts = new WeakMap();
let active = null;

function draw(parent, name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent.append(node);
  return node;
}

function find(target) {
  const box = target.closest?.(".hover");
  const data = box?.querySelector(":scope > script[type='application/json']");
  if (!data) return null;
  if (!charts.has(box)) {
    const { names, stops } = JSON.parse(data.textContent);
    const cross = draw(box.querySelector("svg.plot"), "g", {});
    charts.set(box, { box, names, stops, cross, tip: box.querySelector(".tip"), at: stops.length - 1 });
  }
  return charts.get(box);
}

function hide() {
  if (!active) return;
  active.tip.hidden = true;
  active.cross.replaceChildren();
  active = null;
}

function show(chart, index) {
  if (active !== chart) hide();
  active = chart;
  chart.at = Math.max(0, Math.min(chart.stops.length - 1, index));
  const [x, heights, words, figures] = chart.stops[chart.at];
  chart.cross.replaceChildren();
  draw(chart.cross, "line", { class: "cursor", x1: `${x}%`, x2: `${x}%`, y1: "0", y2: "90%" });
  heights.forEach((y, line) => {
    if (y !== null) draw(chart.cross, "circle", { class: line ? "" : "first", cx: `${x}%`, cy: `${y}%`, r: "4" });
  });
  const lines = chart.names.map((name, line) => figures[line] && `${name}  ${figures[line]}`);
  chart.tip.textContent = [words, ...lines.filter(Boolean)].join("\n");
  chart.tip.hidden = false;
  chart.tip.style.left = `${x}%`;
  chart.tip.classList.toggle("right", x > 50);
}

// Adjustments and new seasons have no page to open.
function open(chart) {
  const number = chart.stops[chart.at][4];
  if (chart.box.dataset.base && number) location.href = `${chart.box.dataset.base}${number}/`;
}

function follow(event) {
  const chart = find(event.target);
  if (!chart) return event.type === "pointerdown" || event.pointerType === "mouse" ? hide() : null;
  const box = chart.box.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * 100;
  const distances = chart.stops.map((stop) => Math.abs(stop[0] - x));
  return show(chart, distances.indexOf(Math.min(...distances)));
}

document.addEventListener("pointermove", follow);
document.addEventListener("pointerdown", follow);
document.addEventListener("click", (event) => {
  const chart = find(event.target);
  if (chart && event.pointerType === "mouse") open(chart);
});
document.addEventListener("focusin", (event) => {
  const chart = event.target.matches(".hover") && find(event.target);
  if (chart && chart !== active) show(chart, chart.at);
});
document.addEventListener("focusout", hide);
document.addEventListener("keydown", (event) => {
  const chart = event.target.matches(".hover") && find(event.target);
  if (!chart) return;
  const { at, stops } = chart;
  const step = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    Home: 0,
    End: stops.length - 1,
    PageUp: at - 10,
    PageDown: at + 10,
  }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    show(chart, step);
  }
  if (event.key === "Enter") open(chart);
  if (event.key === "Escape") hide();
});
