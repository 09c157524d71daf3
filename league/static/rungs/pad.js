// The score pad: seats people by taps or initials, reads scores, and asks the server what they change. The form works
// without it: the server checks, rates and refuses the same.
"use strict";
const form = document.getElementById("pad");
const list = document.getElementById("seats");
const blank = document.getElementById("seat");
const find = document.getElementById("find");
const found = document.getElementById("found");
const MINUS = "\u2212";
const most = Number(form.dataset.most);
const fewest = Number(form.dataset.fewest);
const demanded = form.dataset.total === undefined ? null : Number(form.dataset.total);
const chips = [...document.querySelectorAll("#chips .chip")];
const people = [...document.querySelectorAll("#people option")].map((one) => ({ handle: one.dataset.handle, name: one.value }));
const typed = new WeakSet();

const lines = () => [...list.children];
const player = (line) => line.querySelector("input[name$='-player']");
const score = (line) => line.querySelector("input[name$='-score']");
const place = (line) => line.querySelector("input[name$='-place']");
const seated = () => lines().filter((line) => player(line).value.trim());
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
const initials = (name) => fold(name).split(/[\s-]+/).map((word) => word[0] || "").join("");
const read = (text) => Number(text.trim().replace(/^[\u2212\u2013]/, "-").replace(",", ".") || "x");
const show = (value) => (value < 0 ? MINUS : "") + Math.abs(Math.round(value * 1e6) / 1e6);
const nameOf = (handle) => (people.find((one) => one.handle === handle) || { name: handle }).name;

function addLine() {
  const line = blank.content.firstElementChild.cloneNode(true);
  list.append(line);
  wire(line);
  return line;
}

// The fields bear the numbers of their seats: the order on the page is the order at the table.
function renumber() {
  lines().forEach((line, row) => {
    line.querySelector("[data-grip]").textContent = row + 1;
    line.hidden = !player(line).value.trim() && row >= Math.max(fewest, 2);
    for (const field of line.querySelectorAll("input, select")) {
      field.name = field.name.replace(/-(\d+|__prefix__)-/, `-${row}-`);
      field.id = field.id.replace(/-(\d+|__prefix__)-/, `-${row}-`);
    }
    for (const label of line.querySelectorAll("label[for]")) label.htmlFor = label.htmlFor.replace(/-(\d+|__prefix__)-/, `-${row}-`);
    const called = nameOf(player(line).value);
    line.querySelector(".called").textContent = called || "Nobody yet";
    const sign = line.querySelector(".pm");
    if (sign) sign.setAttribute("aria-label", `Change the sign of ${called || `seat ${row + 1}`}`);
  });
  form.elements["seats-TOTAL_FORMS"].value = lines().length;
  for (const chip of chips) {
    const at = lines().findIndex((line) => player(line).value === chip.dataset.handle);
    chip.setAttribute("aria-pressed", String(at >= 0));
    chip.querySelector(".seat").textContent = at >= 0 ? at + 1 : "";
  }
  document.getElementById("chips").classList.toggle("full", full());
  if (place(list.firstElementChild) && !score(list.firstElementChild)) seated().forEach((line, row) => {
    if (!typed.has(place(line))) place(line).value = row + 1;
  });
  work();
}

function seat(handle) {
  const there = lines().find((line) => player(line).value === handle);
  if (there) {
    for (const field of there.querySelectorAll("input")) { field.value = ""; typed.delete(field); }
    list.append(there);
  } else {
    if (seated().length >= most) { found.textContent = `The table is full: ${most} play.`; return false; }
    const free = lines().find((line) => !player(line).value.trim()) || addLine();
    player(free).value = handle;
  }
  renumber();
  return true;
}

function full() {
  return seated().length >= Math.min(most, Math.max(fewest, Number(form.elements["seats-INITIAL_FORMS"].value) || 4));
}

function matches(text) {
  const wanted = fold(text);
  const free = people.filter((one) => !lines().some((line) => player(line).value === one.handle));
  const exact = free.filter((one) => fold(one.name) === wanted || fold(one.handle) === wanted);
  if (exact.length) return exact;
  const near = free.filter((one) => initials(one.name) === wanted || fold(one.name).split(/[\s-]+/).some((word) => word.startsWith(wanted)) || fold(one.name).startsWith(wanted));
  // Whoever is offered as a chip comes before the rest of the site.
  const order = new Map(chips.map((chip, at) => [chip.dataset.handle, at]));
  return near.sort((one, two) => (order.get(one.handle) ?? 1e6) - (order.get(two.handle) ?? 1e6));
}

function addNewcomer(name) {
  const said = document.createElement("input");
  Object.assign(said, { type: "hidden", name: "new", value: name });
  form.append(said);
  if (seat(name)) { found.textContent = `${name} is added as a new player with this game.`; next(); }
}

function offerNewcomer(name) {
  found.textContent = `Nobody here is called ${name}. `;
  const key = document.createElement("button");
  Object.assign(key, { type: "button", className: "btn text", textContent: `Add ${name} as a new player` });
  key.addEventListener("click", () => { key.remove(); addNewcomer(name); });
  found.append(key);
}

function next() {
  find.value = "";
  if (!full()) { find.focus(); return; }
  const open = seated().find((line) => score(line) && (!typed.has(score(line)) || !score(line).value));
  const target = open ? score(open) : document.getElementById("record");
  target.focus();
  if (target.select) target.select();
}

find.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const text = find.value.trim();
  found.textContent = "";
  if (!text) { if (seated().length >= fewest) document.getElementById("record").focus(); return; }
  const one = matches(text);
  if (!one.length) offerNewcomer(text);
  else if (seat(one[0].handle)) next();
});

// Two letters that are nobody's but one person's initials seat them at once.
find.addEventListener("input", () => {
  const wanted = fold(find.value);
  if (wanted.length < 2) return;
  const one = matches(wanted);
  if (one.length === 1 && initials(one[0].name) === wanted && seat(one[0].handle)) { found.textContent = ""; next(); }
});

for (const chip of chips) chip.addEventListener("click", () => { found.textContent = ""; seat(chip.dataset.handle); });
for (const key of document.querySelectorAll("[data-instead]")) key.addEventListener("click", () => {
  const line = lines()[Number(key.dataset.at)];
  player(line).value = key.dataset.instead;
  key.closest(".notice").remove();
  renumber();
});

function move(line, by) {
  const all = lines(), to = all.indexOf(line) + by;
  if (to < 0 || to >= all.length) return;
  if (by < 0) list.insertBefore(line, all[to]); else list.insertBefore(line, all[to].nextElementSibling);
  renumber();
}

function wire(line) {
  const box = score(line), sign = line.querySelector(".pm"), grip = line.querySelector("[data-grip]");
  grip.classList.add("grip");
  for (const field of line.querySelectorAll("input")) {
    field.addEventListener("input", () => { if (field.value.trim()) typed.add(field); else typed.delete(field); work(); });
    field.addEventListener("keydown", (event) => {
      if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
        event.preventDefault(); move(line, event.key === "ArrowUp" ? -1 : 1); field.focus();
      }
    });
  }
  if (box) {
    box.classList.add("score");
    box.inputMode = "decimal";
    box.autocomplete = "off";
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      const rows = seated(), at = rows.indexOf(line);
      if (at === rows.length - 1) { form.requestSubmit(); return; }
      score(rows[at + 1]).focus();
      score(rows[at + 1]).select();
    });
    sign.addEventListener("click", () => {
      const value = read(box.value);
      box.value = Number.isNaN(value) ? MINUS : show(-value);
      typed.add(box); work(); box.focus();
    });
  }
  grip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    const over = (moved) => {
      const target = document.elementFromPoint(moved.clientX, moved.clientY);
      const other = target && target.closest("#seats > li");
      if (other && other !== line) { if (line.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING) other.before(line); else other.after(line); }
    };
    grip.addEventListener("pointermove", over);
    grip.addEventListener("pointerup", () => { grip.removeEventListener("pointermove", over); renumber(); }, { once: true });
  });
}

let waiting = 0, asked = null;
// The sum, the score that makes it come out, and what the sheet would change.
function work() {
  const rows = seated().filter((line) => score(line));
  const open = rows.filter((line) => !typed.has(score(line)) || !score(line).value.trim());
  for (const line of rows) score(line).classList.remove("guess");
  if (demanded !== null && open.length === 1 && rows.length >= fewest) {
    const rest = rows.filter((line) => line !== open[0]).reduce((sum, line) => sum + read(score(line).value), 0);
    score(open[0]).value = Number.isNaN(rest) ? "" : show(demanded - rest);
    score(open[0]).classList.add("guess");
  }
  const shown = document.getElementById("sum");
  if (shown) {
    const sum = rows.reduce((total, line) => total + (score(line).value.trim() ? read(score(line).value) : 0), 0);
    shown.textContent = rows.length ? (Number.isNaN(sum) ? "?" : show(sum)) + (demanded !== null && sum === demanded ? " \u2713" : "") : "\u2013";
  }
  keep();
  clearTimeout(waiting);
  waiting = setTimeout(ask, 120);
}

async function ask() {
  const why = document.getElementById("why");
  if (asked) asked.abort();
  asked = new AbortController();
  const rows = seated();
  const told = (row, change) => {
    const live = row.querySelector(".live");
    live.replaceChildren();
    if (!change) return;
    const moved = document.createElement("span"), then = document.createElement("small");
    moved.textContent = change.change;
    moved.className = `chg ${change.change.startsWith("+") ? "up" : change.change.startsWith(MINUS) ? "down" : ""}`;
    then.textContent = change.after;
    live.append(moved, then);
  };
  const ready = rows.length >= fewest && rows.every((line) => !score(line) || score(line).value.trim());
  if (!ready) { rows.forEach((row) => told(row, null)); why.textContent = ""; return; }
  try {
    const answer = await fetch(form.dataset.change, { method: "POST", body: new FormData(form), signal: asked.signal, headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const { seats = [], why: sentence = "" } = await answer.json();
    rows.forEach((row, at) => told(row, seats[at]));
    why.textContent = sentence;
  } catch (error) {
    if (error.name !== "AbortError") why.textContent = "";
  }
}

// A phone that sleeps in the middle of a sheet has it back.
function keep() {
  const said = seated().map((line) => [...line.querySelectorAll("input")].map((field) => [field.name.replace(/^seats-\d+-/, ""), field.value, typed.has(field)]));
  try { sessionStorage.setItem(form.dataset.kept, JSON.stringify(said)); } catch { /* a browser that keeps nothing */ }
}

function bringBack() {
  let said = [];
  try { said = JSON.parse(sessionStorage.getItem(form.dataset.kept) || "[]"); } catch { said = []; }
  if (form.dataset.just || seated().length) return;
  said.forEach((fields, row) => {
    const line = lines()[row] || addLine();
    for (const [name, value, was] of fields) {
      const field = line.querySelector(`input[name$='-${name}']`);
      if (field) { field.value = value; if (was) typed.add(field); }
    }
  });
}

function clear() {
  for (const line of lines()) for (const field of line.querySelectorAll("input")) { field.value = ""; typed.delete(field); }
  renumber();
  find.focus();
}

form.classList.add("live-pad");
document.getElementById("chips").hidden = false;
document.getElementById("finder").hidden = false;
document.getElementById("clear").hidden = false;
document.getElementById("clear").addEventListener("click", clear);
lines().forEach(wire);
for (const line of lines()) for (const field of line.querySelectorAll("input")) if (field.value.trim()) typed.add(field);
if (form.dataset.just) sessionStorage.removeItem(form.dataset.kept);
bringBack();
renumber();
next();
let sent = false;
form.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; });
addEventListener("pageshow", () => { sent = false; });
