// The pages of a link for reports, beside the pad: without network nothing is sent and nothing is lost. What was typed
// stays in this browser until the site has it, under the key of its form, so that a sheet whose answer was lost is
// entered once. It stands before pad.js, and knows of it only where that keeps a sheet: sessionStorage, data-kept.
"use strict";
{
  const pad = document.getElementById("pad"),
    told = document.getElementById("unsent"),
    KEPT = pad.dataset.kept;
  // Whether the site answers is asked of what costs it least: this script.
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

  // Whether anything stands on a sheet as the pad keeps it: seats of boxes of name and value.
  function typed(sheet) {
    try {
      return JSON.parse(sheet || "[[]]")[0].some((boxes) => boxes.some(([, value]) => String(value).trim()));
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
          gettext("No answer came to this sheet."),
          filled(gettext("You sent it at %(time)s. Send it again: it is entered once."), { time }),
        );
      else
        say(
          gettext("This sheet was not sent."),
          filled(
            gettext("You typed it at %(time)s. It counts as played when it is sent, unless you say when it was."),
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
        ? gettext(
            "What you typed stays in this browser, also when you close the page. Enter the game when the network is back.",
          )
        : gettext("Press the key again when the network is back.");
    say(gettext("No network: nothing was sent."), after);
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
  // A browser that is too old to ask sends its forms as they are.
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
    if (!told.hidden) say(gettext("The network is back."), gettext("Nothing is sent yet: press the key again."));
  });
}
