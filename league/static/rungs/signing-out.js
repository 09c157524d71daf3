// Signing out deletes the score pads cached in this browser, after a warning about the user's unsent sheets. Unsent
// sheets of other users stay.
"use strict";
const whose = document.currentScript.dataset.user || "";
const { pad } = document.currentScript.dataset;
const LISTS = new RegExp(`^pad-waiting-(.+)-${whose}$`);

const listOf = (key) => {
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
};
const keysOf = (store) => {
  try {
    return Object.keys(store);
  } catch {
    return [];
  }
};
const waiting = () => keysOf(localStorage).filter((key) => LISTS.test(key) && listOf(key).length);

async function forget() {
  for (const key of keysOf(sessionStorage)) if (key.startsWith("pad-")) sessionStorage.removeItem(key);
  if (self.caches) for (const name of await caches.keys()) if (name.startsWith("rungs-pad ")) await caches.delete(name);
  if (!navigator.serviceWorker) return;
  for (const one of await navigator.serviceWorker.getRegistrations())
    if (one.active && new URL(one.active.scriptURL).pathname.endsWith("/pad-worker.js")) await one.unregister();
}

function make(name, given, ...inside) {
  const made = Object.assign(document.createElement(name), given);
  made.append(...inside);
  return made;
}

function ask(form, keys) {
  const sheets = keys.flatMap(listOf),
    count = sheets.length,
    [, slug] = LISTS.exec(keys[0]);
  const waits = ngettext(
    "%(count)s game is waiting in this browser and has not been recorded.",
    "%(count)s games are waiting in this browser and have not been recorded.",
    count,
  );
  const head = make(
    "p",
    {},
    make("b", { className: "strong", textContent: `${interpolate(waits, { count }, true)} ` }),
    ngettext("If you sign out, it is discarded.", "If you sign out, they are discarded.", count),
  );
  const list = make("ul", {}, ...sheets.map((sheet) => make("li", { textContent: sheet.said })));
  const sure = make("button", {
    type: "button",
    className: "btn",
    textContent: ngettext("Sign out and discard it", "Sign out and discard them", count),
  });
  sure.addEventListener("click", () => {
    form.dataset.sure = "yes";
    form.requestSubmit();
  });
  const choice = make(
    "p",
    { className: "row gap" },
    make("a", {
      className: "btn go",
      href: pad.replace("SLUG", slug),
      textContent: ngettext("Send it from the score pad", "Send them from the score pad", count),
    }),
    sure,
  );
  const notice = make("div", { className: "notice", tabIndex: -1 }, head, list, choice);
  notice.setAttribute("role", "alert");
  for (const old of document.querySelectorAll("[data-unsent]")) old.remove();
  notice.dataset.unsent = "";
  form.before(notice);
  notice.focus();
}

for (const form of document.querySelectorAll("form[action$='/logout/']"))
  form.addEventListener("submit", (event) => {
    const keys = waiting();
    if (keys.length && !form.dataset.sure) {
      event.preventDefault();
      ask(form, keys);
      return;
    }
    for (const key of keysOf(localStorage))
      if (LISTS.test(key.replace(/-(clock|turns)$/, ""))) localStorage.removeItem(key);
  });
if (!whose) forget();
