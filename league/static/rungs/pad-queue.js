// A sheet is kept in the browser until the server has it: what is typed without network is sent when it is back, once,
// in order. Each sheet has a key of its own, by which the server knows one that comes again.
"use strict";
const KEPT = form.dataset.waiting;
const list_of_waiting = document.getElementById("waiting");
let token = form.elements.csrfmiddlewaretoken.value;
let out = false, sending = false;
// When the sheet on the pad was typed first, if it was one that waited.
let typedAt = 0, typedBy = {};

const recall = (key, otherwise) => { try { return JSON.parse(localStorage.getItem(key)) || otherwise; } catch { return otherwise; } };
const put = (key, value) => { try { localStorage.setItem(key, JSON.stringify(value)); return true; } catch { return false; } };
const load = () => recall(KEPT, []);
const save = (all) => put(KEPT, all);
const drop = (once) => save(load().filter((one) => one.once !== once));
const clock = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// How far this browser's clock is off, by the quickest answer of late; anew as soon as somebody has set the clock.
const CLOCK = `${KEPT}-clock`, LAST = `${KEPT}-last`, FRESH = 6 * 3600 * 1000;
function heard(there, from, to) {
  if (!there) return;
  const known = recall(CLOCK, null), one = { off: Math.round(there - (from + to) / 2), way: to - from, at: to };
  const set = known && Math.abs(known.off - one.off) > (known.way + one.way) / 2 + 50;
  if (!known || set || one.way <= known.way || to - known.at > FRESH) put(CLOCK, one);
}

// When a sheet was typed: how long ago, what the server's clock shows now, and the times of those typed around it.
function timesOf(one) {
  const now = Date.now(), clock = recall(CLOCK, null);
  const said = { ago: Math.max(Math.round(now - one.at + (clock && one.off !== undefined ? clock.off - one.off : 0)), 0) };
  if (clock) said.clock = now + clock.off;
  if (one.before) said.before = one.before;
  else if (!one.opened && recall(LAST, "")) said.after = recall(LAST, "");
  return said;
}

// A sheet got its time: those typed after it follow it, and those that wait for a look, typed before it, precede it.
function tookPlace(one, played) {
  if (!played || one.opened) return;
  put(LAST, played);
  save(load().map((each) => (each.why && each.at < one.at && !each.before ? { ...each, before: played } : each)));
}

function inWords() {
  return seated().map((line) => {
    const box = score(line) || place(line);
    return `${nameOf(player(line).value)} ${box ? box.value || box.placeholder : ""}`.trim();
  }).join(", ");
}

// The server forgets the key of a sheet after a day: one that may have reached it then is looked at before it is sent again.
const FORGETS = 23 * 3600 * 1000;
const LOST = "It was sent a day ago and no answer came: look whether the game is recorded before it is sent again.";

async function post(one, own) {
  if (one.tried && Date.now() - one.tried > FORGETS) return { kind: "refused", why: LOST };
  if (!one.tried && navigator.onLine) save(load().map((each) => (each.once === one.once ? { ...each, tried: Date.now() } : each)));
  const body = new URLSearchParams(one.fields);
  body.set("csrfmiddlewaretoken", token);
  if (one.once !== own || one.opened) for (const [name, value] of Object.entries(timesOf(one))) body.set(name, value);
  try {
    const answer = await fetch(form.action, { method: "POST", body, redirect: "manual", headers: { Accept: "application/json" } });
    if (answer.type === "opaqueredirect" || answer.status === 401) return { kind: "out" };
    if (answer.status === 403) return { kind: "stale" };
    if (answer.status >= 500 || answer.status === 429) return { kind: "off" };
    const said = await answer.json();
    return answer.ok ? { kind: "done", target: said.target, played: said.played } : { kind: "refused", why: said.why };
  } catch { return { kind: "off" }; }
}

// A page that is older than the session has an old token: the present page's is asked for, as whoever typed the sheets.
async function renew() {
  try {
    const answer = await fetch(form.action, { redirect: "manual", cache: "no-store" });
    if (!answer.ok) return answer.status >= 500 ? "off" : "out";
    const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("pad");
    if (!page || page.dataset.waiting !== KEPT) return "out";
    token = page.elements.csrfmiddlewaretoken.value;
    return "";
  } catch { return "off"; }
}

// Send what waits, the oldest first; stop where the network or the session does.
async function carry(own) {
  const done = { count: 0, target: "", refused: false };
  for (const one of load()) {
    if (one.why) continue;
    let answer = await post(one, own);
    if (answer.kind === "stale") {
      const why = await renew();
      answer = why ? { kind: why } : await post(one, own);
    }
    out = answer.kind === "out" || answer.kind === "stale";
    if (out || answer.kind === "off") break;
    if (answer.kind === "done") { drop(one.once); tookPlace(one, answer.played); done.count += 1; if (one.once === own) done.target = answer.target; }
    else if (one.once === own) { drop(one.once); done.refused = true; }
    else save(load().map((each) => (each.once === one.once ? { ...each, why: answer.why } : each)));
  }
  return done;
}

// One tab sends at a time.
async function send(own) {
  sending = true;
  const done = await (navigator.locks ? navigator.locks.request(KEPT, () => carry(own)) : carry(own));
  sending = false;
  tellWaiting();
  return done;
}

async function sendOn() {
  if (sending || !load().some((one) => !one.why)) return;
  const { count } = await send("");
  if (!count) return;
  if (!seated().length) location.assign(form.action);
  else found.textContent = count === 1 ? "The sheet that waited is sent." : `${count} sheets that waited are sent.`;
}

function tellWaiting() {
  const all = load(), waits = all.filter((one) => !one.why), head = document.createElement("p"), rows = document.createElement("ul");
  list_of_waiting.hidden = !all.length;
  const sheets = waits.length === 1 ? "1 sheet waits" : `${waits.length} sheets wait`;
  head.className = "strong";
  head.textContent = !waits.length ? "Not recorded:" : out ? `${sheets} until you are signed in again. ` : `${sheets} for the network.`;
  if (waits.length && out) head.append(Object.assign(document.createElement("a"), { href: form.dataset.login, textContent: "Sign in" }));
  for (const one of all) {
    const row = document.createElement("li");
    row.append(`${clock(one.at)} ${one.said}${one.why ? `. ${one.why} ` : ""}`);
    if (one.why) row.append(opener(one));
    rows.append(row);
  }
  list_of_waiting.replaceChildren(head, rows);
}

function opener(one) {
  const key = Object.assign(document.createElement("button"), { type: "button", className: "btn text", textContent: "Open in the pad" });
  key.addEventListener("click", () => { drop(one.once); clear(); openSheet(one); tellWaiting(); });
  return key;
}

function openSheet(one) {
  fillIn(one.rows, one.added);
  for (const [name, value] of one.fields) {
    const box = form.elements[name];
    if (box && !/^seats-|^once$|^new$/.test(name)) box.value = value;
  }
  typedAt = one.at;
  typedBy = { off: one.off, before: one.before };
  renumber();
  found.textContent = `The sheet is open again. It counts as played when it was typed, at ${clock(one.at)}.`;
}

// The sheet is safe in the browser: the next one begins.
function goOn(one) {
  const then = form.elements.keep.value, handles = seated().map((line) => player(line).value);
  clear();
  typedAt = 0;
  typedBy = {};
  form.elements.once.value = newKey();
  document.getElementById("ng").textContent = "Next game";
  if (then) for (const handle of then === "turned" ? [...handles.slice(1), handles[0]] : handles) seat(handle);
  next();
  found.textContent = `Kept in this browser: ${one.said}.`;
}

form.addEventListener("submit", async (event) => {
  if (event.submitter && event.submitter.name === "_more") return;
  event.preventDefault();
  if (sent) return;
  sent = true;
  const fields = [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken");
  const [rows, added] = onTheSheet();
  const clock = recall(CLOCK, null), times = typedAt ? typedBy : { off: clock ? clock.off : undefined };
  const one = { once: form.elements.once.value, at: typedAt || Date.now(), opened: Boolean(typedAt), ...times, fields, rows, added, said: inWords() };
  if (!save([...load(), one])) { form.submit(); return; }
  const done = await send(one.once);
  // What is refused is sent as a form: the page comes back with each sentence at its seat.
  if (done.refused) { form.submit(); return; }
  if (done.target) { location.assign(done.target); return; }
  sent = false;
  goOn(one);
});

if ("cached" in form.dataset) {
  // The page is an old one: its key is used, its games are not tonight's last.
  form.elements.once.value = newKey();
  for (const old of document.querySelectorAll(".toast")) old.remove();
  document.getElementById("ng").textContent = "Next game";
}
addEventListener("online", sendOn);
document.addEventListener("visibilitychange", () => { if (!document.hidden) sendOn(); });
setInterval(sendOn, 30000);
tellWaiting();
sendOn();
if (navigator.serviceWorker) navigator.serviceWorker.register(form.dataset.worker, { scope: new URL(form.action).pathname }).catch(() => {});
