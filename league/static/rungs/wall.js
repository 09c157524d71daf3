// The display page updates itself by loading its own address, which is cheap while nothing changes. A button pauses it.
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
let held = false,
  busy = false,
  last = document.querySelector("main").innerHTML,
  heard = Date.now();

function tell(words) {
  if (state && state.textContent !== words) state.textContent = words;
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
    tell(gettext("Updates automatically."));
    if (!main || main.innerHTML === last) return;
    last = main.innerHTML;
    document.querySelector("main").replaceWith(document.adoptNode(main));
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
    tell(
      held
        ? interpolate(gettext("Paused at %(time)s."), { time: hours.format(Date.now()) }, true)
        : gettext("Updates automatically."),
    );
    look();
  });
}
setInterval(look, Number(document.body.dataset.every) * 1000);
setInterval(tick, 5000);
document.addEventListener("visibilitychange", look);
tell(gettext("Updates automatically."));
tick();
