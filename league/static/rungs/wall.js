// The display page updates itself by loading its own address, which is cheap while nothing changes, and
// shows its pages in turn. A button pauses both.
const state = document.getElementById("state"),
  pause = document.getElementById("pause"),
  clock = document.getElementById("clock");
const style = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
let hours;
try {
  hours = new Intl.DateTimeFormat([], { ...style, timeZone: document.body.dataset.zone });
} catch {
  hours = new Intl.DateTimeFormat([], style);
}
// Milliseconds without a movement after which the controls go.
const REST = 5000;
// The smallest part of its size to which a list or table shrinks.
const SMALLEST = 0.4;
const UP_TO_DATE = gettext("Updates automatically.");
let held = false,
  busy = false,
  shown = 0,
  resting,
  last = document.querySelector("main").innerHTML,
  heard = Date.now();

function tell(words) {
  if (!state || state.textContent === words) return;
  state.textContent = words;
  // News stay in sight without a movement.
  state.parentElement.classList.toggle("told", words !== UP_TO_DATE);
}

// Show one page of the screen.
function show() {
  const pages = [...document.querySelectorAll("main > .turn")];
  shown = pages.length ? (shown + pages.length) % pages.length : 0;
  pages.forEach((page, number) => {
    page.hidden = number !== shown;
  });
  fit(pages[shown]);
}

// Make the lists and tables of a page smaller until the screen has room for the last line. A phone scrolls instead.
function fit(page) {
  const main = document.querySelector("main"),
    lists = page ? [...page.querySelectorAll(".wallpairs, .board")] : [];
  for (const list of lists) list.style.fontSize = "";
  if (innerWidth < 640) return;
  for (let part = 0.95; part >= SMALLEST; part -= 0.05) {
    if (main.scrollHeight <= main.clientHeight && document.body.scrollHeight <= innerHeight) return;
    for (const list of lists) {
      list.style.fontSize = "";
      list.style.fontSize = `${parseFloat(getComputedStyle(list).fontSize) * part}px`;
    }
  }
}

function turn(by) {
  shown += by;
  show();
}

function wake() {
  document.body.classList.remove("idle");
  clearTimeout(resting);
  resting = setTimeout(() => document.body.classList.add("idle"), REST);
}

async function look() {
  if (held || busy || document.hidden) return;
  busy = true;
  try {
    const answer = await fetch(location.href, { cache: "no-cache", signal: AbortSignal.timeout(15000) });
    if (answer.status === 404) {
      tell(gettext("This league is no longer shown."));
      return;
    }
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html"),
      main = page.querySelector("main");
    heard = Date.now();
    tell(UP_TO_DATE);
    if (!main || main.innerHTML === last) return;
    last = main.innerHTML;
    document.querySelector("main").replaceWith(document.adoptNode(main));
    show();
    const head = page.querySelector("header p.soft"),
      old = document.querySelector("header p.soft");
    if (head && old) old.textContent = head.textContent;
  } catch {
    tell(
      interpolate(
        gettext("No connection since %(time)s. This is the last known state."),
        { time: hours.format(heard) },
        true,
      ),
    );
  } finally {
    busy = false;
  }
}

function tick() {
  if (clock) {
    clock.hidden = false;
    clock.textContent = hours.format(Date.now());
  }
}

if (pause) {
  pause.hidden = false;
  pause.addEventListener("click", () => {
    held = !held;
    pause.textContent = held ? gettext("Resume") : gettext("Pause");
    tell(held ? interpolate(gettext("Paused at %(time)s."), { time: hours.format(Date.now()) }, true) : UP_TO_DATE);
    look();
  });
}
setInterval(look, Number(document.body.dataset.every) * 1000);
setInterval(tick, 5000);
document.addEventListener("visibilitychange", look);
if (document.body.dataset.turn)
  setInterval(
    () => {
      if (!held) turn(1);
    },
    Number(document.body.dataset.turn) * 1000,
  );
addEventListener("keydown", (event) => {
  if (event.target !== document.body) return;
  if (event.key === "ArrowRight") turn(1);
  else if (event.key === "ArrowLeft") turn(-1);
});
for (const sign of ["pointermove", "pointerdown", "keydown", "focusin"]) addEventListener(sign, wake);
addEventListener("resize", show);
tell(UP_TO_DATE);
tick();
show();
wake();
