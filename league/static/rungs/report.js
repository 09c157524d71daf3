// The pages of a report link when offline: forms are not sent, and entries are stored in this browser until the site
// has received them. The form's key prevents double reports. Loaded before pad.js, it only reads the sheet that pad.js
// stores in sessionStorage (data-kept).
"use strict";
{
  const pad = document.getElementById("pad"),
    told = document.getElementById("unsent"),
    KEPT = pad.dataset.kept;
  // The cheapest request to test the connection is this script.
  const site = document.currentScript.src;
  const DAY = 86400e3,
    LONGEST = 14 * DAY,
    PATIENCE = 8000;
  const back = Boolean(document.querySelector(".notice.err, [data-asked]"));
  const filled = (text, values) => interpolate(text, values, true);
  const recall = (key) => {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  };
  const game = () => [...pad.elements].filter((box) => /^(details_|played_at$|turn$|note$)/.test(box.name));
  const came = new Map(game().map((box) => [box.name, box.value]));

  // Whether a stored sheet contains any value that the page did not propose.
  function typed(sheet) {
    try {
      const [rows, , more = {}] = JSON.parse(sheet || "[[]]");
      return more.begun !== false && rows.some((boxes) => boxes.some(([, value]) => String(value).trim()));
    } catch {
      return false;
    }
  }

  function keep(sent = false) {
    try {
      const sheet = sessionStorage.getItem(KEPT);
      if (!typed(sheet)) {
        localStorage.removeItem(KEPT);
        return;
      }
      const known = recall(KEPT),
        same = known && known.sheet === sheet,
        at = same ? known.at : Date.now();
      const tried = sent || Boolean(same && known.tried);
      const said = game()
        .filter((box) => box.value !== came.get(box.name))
        .map((box) => [box.name, box.value]);
      localStorage.setItem(KEPT, JSON.stringify({ at, sheet, said, tried, once: back ? "" : pad.elements.once.value }));
    } catch {
      /* a browser that keeps nothing */
    }
  }

  function say(first = "", then = "") {
    told.replaceChildren(
      Object.assign(document.createElement("b"), { textContent: first }),
      Object.assign(document.createElement("span"), { textContent: ` ${then}` }),
    );
    told.hidden = !first;
  }

  function bringBack() {
    const kept = recall(KEPT);
    if (!kept || back) return;
    if (!sessionStorage.getItem(KEPT)) {
      const form = { weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
      if (Date.now() - kept.at < DAY / 2) delete form.weekday;
      else Object.assign(form, { day: "numeric", month: "long" });
      const time = new Date(kept.at).toLocaleString(document.documentElement.lang, form);
      if (kept.tried)
        say(
          gettext("This report may not have arrived."),
          filled(gettext("You sent it at %(time)s. Send it again; it will not be recorded twice."), { time }),
        );
      else
        say(
          gettext("This report was not sent."),
          filled(
            gettext(
              "You entered it at %(time)s. The time of sending counts as the time played, unless you enter another one.",
            ),
            { time },
          ),
        );
    }
    sessionStorage.setItem(KEPT, kept.sheet);
    for (const [name, value] of kept.said) if (pad.elements[name]) pad.elements[name].value = value;
    if (kept.once) pad.elements.once.value = kept.once;
  }

  async function reached() {
    try {
      return (
        navigator.onLine &&
        (await fetch(site, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PATIENCE) })).ok
      );
    } catch {
      return false;
    }
  }

  let passed = false,
    asking = false;
  async function guard(event) {
    if (passed) return;
    event.preventDefault();
    if (asking) return;
    asking = true;
    keep();
    const there = await reached();
    asking = false;
    if (there) {
      passed = true;
      say();
      if (event.target === pad) keep(true);
      event.target.requestSubmit(event.submitter);
      return;
    }
    const after =
      event.target === pad
        ? gettext("Your entries stay in this browser, even if you close the page. Send them when you are online again.")
        : gettext("Press the button again when you are online.");
    say(gettext("You are offline: nothing was sent."), after);
    told.scrollIntoView({ block: "nearest" });
  }

  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith("report-") && !((recall(key) || { at: 0 }).at > Date.now() - LONGEST))
        localStorage.removeItem(key);
    }
    if (pad.dataset.just) localStorage.removeItem(KEPT);
    else bringBack();
  } catch {
    /* a browser that keeps nothing */
  }
  // The page that a service worker kept: say of when it is, with a key of its own, without answers to earlier forms.
  if ("cached" in pad.dataset) {
    for (const old of document.querySelectorAll(".notice.said, .notice.err")) old.remove();
    pad.elements.once.value = [...crypto.getRandomValues(new Uint8Array(16))]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
    const style = { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
      time = new Date(pad.dataset.cached || Date.now()).toLocaleString(document.documentElement.lang, style);
    const notice = Object.assign(document.createElement("div"), {
      id: "lastknown",
      className: "notice",
      textContent: filled(gettext("No connection since %(time)s. This is the last known state."), { time }),
    });
    notice.setAttribute("role", "status");
    document.getElementById("main").prepend(notice);
    // Renew it once the site answers, unless something is typed: in the sheet, a name or a reason.
    const isTyping = () =>
      typed(sessionStorage.getItem(KEPT)) ||
      [...document.querySelectorAll("#find, form:not(#pad) [name=reason]")].some((box) => box.value.trim());
    const renew = async () => {
      if (!document.hidden && !isTyping() && (await reached()) && !isTyping()) location.reload();
    };
    addEventListener("online", renew);
    setInterval(renew, 10_000);
  }
  // A page of one's own is kept for the time without network; a table's is everyone's.
  if (pad.dataset.worker && navigator.serviceWorker)
    navigator.serviceWorker.register(pad.dataset.worker, { scope: new URL(pad.action).pathname }).catch(() => {});
  // Whoever comes to enter a result goes on at the keys of a game of two, or at the first score.
  addEventListener("load", () => {
    if (location.hash !== "#pad" || back) return;
    const start = "#results:not([hidden]) button, #pad:not(:has(#results:not([hidden]))) #seats input[name$='-score']";
    pad.querySelector(start)?.focus({ preventScroll: true });
  });
  // Browsers without these features send forms directly.
  const able = "timeout" in AbortSignal && "requestSubmit" in pad;
  document.getElementById("without").hidden = !able;
  for (const one of document.forms)
    if (one.method === "post") one.addEventListener("submit", able ? guard : () => keep(one === pad));
  for (const what of ["input", "click"]) addEventListener(what, () => setTimeout(() => keep()));
  addEventListener("pagehide", () => keep());
  addEventListener("pageshow", () => {
    passed = false;
  });
  addEventListener("online", () => {
    if (!told.hidden)
      say(gettext("You are online again."), gettext("Nothing has been sent yet; press the button again."));
  });
}
