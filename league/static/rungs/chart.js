// Adds a cross-hair to every chart, for pointer, touch and keys; its stops come with the chart.
// The listeners are on the document, so that charts which are swapped in later have it too.
const charts = new WeakMap();
let active = null;

function find(target) {
  const box = target.closest?.(".hover");
  const data = box?.querySelector("script[type='application/json']");
  if (!data) return null;
  if (!charts.has(box)) {
    const { names, stops } = JSON.parse(data.textContent);
    const [cross, tip] = [".cross", ".tip"].map((part) => box.querySelector(part));
    charts.set(box, { box, names, stops, cross, tip, at: stops.length - 1 });
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
  hide();
  active = chart;
  chart.at = Math.max(0, Math.min(chart.stops.length - 1, index));
  const [x, heights, words, figures] = chart.stops[chart.at];
  const circles = heights.map(
    (y, line) => `<circle class="${line ? "" : "first"}" cx="${x}%" cy="${y ?? 0}%" r="${y === null ? 0 : 4}"/>`,
  );
  chart.cross.innerHTML = `<line x1="${x}%" x2="${x}%" y2="90%"/>${circles.join("")}`;
  const lines = chart.names.map((name, line) => figures[line] && `${name}  ${figures[line]}`);
  chart.tip.textContent = [words, ...lines.filter(Boolean)].join("\n");
  chart.tip.hidden = false;
  chart.tip.style.left = `${x}%`;
  chart.tip.classList.toggle("right", x > 50);
}

// Adjustments and new seasons have no page to open.
function open({ box, stops, at }) {
  if (box.dataset.base && stops[at][4]) location.href = `${box.dataset.base}${stops[at][4]}/`;
}

function follow(event) {
  const chart = find(event.target);
  if (!chart) return hide();
  const { left, width } = chart.box.getBoundingClientRect();
  const x = ((event.clientX - left) / width) * 100;
  const distances = chart.stops.map((stop) => Math.abs(stop[0] - x));
  return show(chart, distances.indexOf(Math.min(...distances)));
}

document.addEventListener("pointermove", follow);
document.addEventListener("pointerdown", follow);
document.addEventListener("click", (event) => {
  const chart = event.pointerType === "mouse" && find(event.target);
  if (chart) open(chart);
});
document.addEventListener("focusin", ({ target }) => {
  const chart = target.matches(".hover") && find(target);
  if (chart && chart !== active) show(chart, chart.at);
});
document.addEventListener("focusout", hide);
document.addEventListener("keydown", (event) => {
  const chart = event.target.matches(".hover") && find(event.target);
  if (!chart) return;
  const { at, stops } = chart;
  const steps = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    PageUp: at - 10,
    PageDown: at + 10,
    Home: 0,
    End: stops.length,
  };
  if (event.key in steps) {
    event.preventDefault();
    show(chart, steps[event.key]);
  }
  if (event.key === "Enter") open(chart);
  if (event.key === "Escape") hide();
});
