// Adds a cross-hair to a player's rating history, for pointer and arrow keys; its texts come from the server.
const figure = document.querySelector("figure.history");
const plot = figure.querySelector(".hover");
const tip = plot.querySelector(".tip");
const picture = plot.querySelector("svg.plot");
const points = JSON.parse(document.getElementById("points").textContent);
const cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
const mark = document.createElementNS("http://www.w3.org/2000/svg", "circle");
let at = points.length - 1;

cursor.setAttribute("class", "cursor");
cursor.setAttribute("y1", "0");
cursor.setAttribute("y2", "90%");
mark.setAttribute("class", "first");
mark.setAttribute("r", "4");
for (const one of [cursor, mark]) {
  one.setAttribute("visibility", "hidden");
  picture.append(one);
}
figure.classList.add("live");

function show(index) {
  at = Math.max(0, Math.min(points.length - 1, index));
  const [x, y, words] = points[at];
  for (const name of ["x1", "x2"]) cursor.setAttribute(name, `${x}%`);
  mark.setAttribute("cx", `${x}%`);
  mark.setAttribute("cy", `${y}%`);
  for (const one of [cursor, mark]) one.setAttribute("visibility", "visible");
  tip.hidden = false;
  tip.textContent = words;
  tip.style.left = `${x}%`;
  tip.classList.toggle("right", x > 50);
}

function hide() {
  tip.hidden = true;
  for (const one of [cursor, mark]) one.setAttribute("visibility", "hidden");
}

// Adjustments and new seasons have no game to open.
function open() {
  if (points[at][3]) location.href = `${figure.dataset.base}${points[at][3]}/`;
}

function showNearest(event) {
  const box = plot.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * 100;
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < x) low = middle + 1;
    else high = middle;
  }
  show(low > 0 && x - points[low - 1][0] < points[low][0] - x ? low - 1 : low);
}

plot.addEventListener("pointermove", showNearest);
plot.addEventListener("pointerdown", showNearest);
// Lifting a finger also leaves the chart; the chosen point stays visible until the focus moves.
plot.addEventListener("pointerleave", (event) => {
  if (event.pointerType === "mouse") hide();
});
plot.addEventListener("focus", () => show(at));
plot.addEventListener("blur", hide);
plot.addEventListener("click", (event) => {
  if (event.pointerType === "mouse" && !tip.hidden) open();
});
plot.addEventListener("keydown", (event) => {
  const step = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    Home: 0,
    End: points.length - 1,
    PageUp: at - 10,
    PageDown: at + 10,
  }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    show(step);
  }
  if (event.key === "Enter") open();
  if (event.key === "Escape") hide();
});
