// The score pad: seats players by taps or initials, and shows the rating changes that the server computes. The form
// also works without it. pad-machine.js decides what a key does; this script reads its state from the page and shows
// the next one.
"use strict";
const form = document.getElementById("pad");
const list = document.getElementById("seats");
const blank = document.getElementById("seat");
const find = document.getElementById("find");
const found = document.getElementById("found");
const again = document.getElementById("again");
const swap = document.getElementById("swap");
// What the sides of a game of two are called, in the order of the seats.
const sideNames = list.dataset.sides?.split(",") ?? [];
const record = document.getElementById("record");
const why = document.getElementById("why");
const shelf = document.getElementById("chips");
const more = document.querySelector(".more");
const { MINUS } = Pad;
const filled = (text, values) => interpolate(text, values, true);
const [most, fewest] = [form.dataset.most, form.dataset.fewest].map(Number);
const demanded = form.dataset.total === undefined ? null : Number(form.dataset.total);
// A game of two whose draw is half a point each.
const isOfOnePoint = Boolean(document.querySelector("#results [data-results='0.5 0.5']"));
const formatScore = (text) => (isOfOnePoint ? writeHalf(text) : text);
const last = form.dataset.last.split(",").filter(Boolean);
const chips = [...shelf.querySelectorAll("[data-handle]")];
// Players of other leagues are found only by their full name.
const people = [...document.querySelectorAll("#players option, #elsewhere option")].map((option) => ({
  handle: option.dataset.handle,
  name: option.value,
  elsewhere: option.parentElement.id === "elsewhere",
}));
// The fixtures that are open, and the line that names the one whose players sit at the table.
const fixtures = [...document.querySelectorAll("[data-players]")];
// Two who are paired with each other, in the order of their sides; of fixtures of the same two, as in the earlier one.
const pairings = fixtures
  .filter((each) => !("sided" in each.dataset))
  .map((each) => each.dataset.pairing.split(","))
  .filter((handles) => handles.length === 2);
const playedFor = document.getElementById("playedfor");
// The line that says which undone game is filled in, and the players of that game.
const restored = document.getElementById("restored");
let restoredPlayers = "";
const typed = new WeakSet();
// Proposed scores that had the focus, with their value at that time.
const seen = new WeakMap();
let unfolded = false;
const unfold = document.getElementById("unfold");
const unfoldText = unfold.textContent.trim();
// What the page does not show of the state.
const memory = {
  usual: Number(form.dataset.usual),
  // On phones the keyboard stays hidden until the table is full or a name is typed.
  touched: matchMedia("(pointer: coarse)").matches,
  // The order of players whose proposed places the user was asked to check.
  checked: "",
  // Players that a name which is not known may mean.
  offers: null,
  // The hint about an empty or proposed score; shown until something is typed.
  why: "",
};
// When a sheet that waited in this browser was typed; null for a new one.
let waited = null;
// When initials seated a player by themselves; the Enter that follows by habit within this time is ignored.
let seatedAt = -Infinity;
const SPARE_ENTER_MS = 600;
// Whether the server sent back a typed sheet. Seats that the page filled in by itself are no loss.
const back =
  !("cached" in form.dataset) &&
  ("sent" in form.dataset || Boolean(document.querySelector(".notice.err, [data-asked]")));
let initialFingerprint = "";

const lines = () => [...list.children];
const field = (line, name) => line.querySelector(`input[name$='-${name}']`);
const player = (line) => field(line, "player");
const score = (line) => field(line, "score");
const place = (line) => field(line, "place");
const side = (line) => Pad.sideOf(read(), lines().indexOf(line));
// Sets that are not yet played have hidden fields.
const worksheetFields = (line) => [
  ...line.querySelectorAll(
    ".extras label:not([data-follows], [hidden]) input:is([name*='-worksheet_'], [name*='-set_'])",
  ),
];
const hasWorksheet = (line) => worksheetFields(line).some((box) => box.value.trim());
// Partners share one score, typed for one of them.
const hasPartnerScore = (line, rows) =>
  Boolean(side(line)) &&
  rows.some((other) => side(other) === side(line) && (score(other).value.trim() || hasWorksheet(other)));
const seated = () => lines().filter((line) => player(line).value.trim());
const byPlace = () => !score(list.firstElementChild) && Boolean(place(list.firstElementChild));
// The half point of a draw as on its key.
const writeHalf = (text) => text.trim().replace(/^0?[.,]50*$/, "½");
// The result of a game of two as on pages: 1–0, ½–½ by places, else the scores.
function formatResultOfTwo(texts) {
  let figures = texts.map(writeHalf);
  if (byPlace()) {
    const [higher, lower] = figures.map(Number);
    figures = higher === lower ? ["½", "½"] : higher < lower ? [1, 0] : [0, 1];
  }
  return figures.join(/[\u2212-]/.test(figures.join("")) ? " – " : "–");
}
const parseNumber = (text) =>
  Number(
    text
      .trim()
      .replace(/^[\u2212\u2013]/, "-")
      .replace("½", ".5")
      .replace(",", ".") || "x",
  );
const formatNumber = (value) => (value < 0 ? MINUS : "") + Math.abs(Math.round(value * 1e6) / 1e6);
const called = Object.assign(Object.create(null), JSON.parse(form.dataset.called || "{}"));
const nameOf = (handle) => Pad.nameOf({ people, called }, handle);
const full = () => seated().length >= memory.usual;
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const setOnce = (key) => {
  if (form.elements.once) form.elements.once.value = key;
};

const boxName = (input) => input.name.replace(/^seats-\d+-/, "");
const boxesOf = (line) => [...line.querySelectorAll("input:not([type=hidden])")];
const inputAt = ({ seat, box }) => field(lines()[seat], box);

function findFocus() {
  const active = document.activeElement,
    line = active && active.closest("#seats > li");
  if (active === find) return { box: "find" };
  return line && active.matches("input") ? { seat: lines().indexOf(line), box: boxName(active) } : null;
}

// The state of the pad, for pad-machine.js.
function read() {
  return {
    ...memory,
    min: fewest,
    max: most,
    column: byPlace() ? "place" : "score",
    sheets: worksheetFields(list.firstElementChild).map(boxName),
    closed: form.dataset.closed !== undefined,
    people,
    called,
    last,
    pairings,
    chips: chips.map((chip) => chip.dataset.handle),
    newcomers: [],
    find: find.value,
    focus: findFocus(),
    why: undefined,
    whyAt: undefined,
    seats: lines().map((line) => ({
      player: player(line).value.trim(),
      boxes: Object.fromEntries(
        boxesOf(line).map((box) => [
          boxName(box),
          { value: box.value, typed: typed.has(box), shown: box.placeholder.trim() },
        ]),
      ),
    })),
  };
}

// Show the next state.
function show(next) {
  const focus = findFocus();
  for (const name of ["usual", "touched", "checked", "offers"]) memory[name] = next[name];
  if (next.byInitials) seatedAt = performance.now();
  for (const name of next.newcomers)
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "new", value: name }));
  next.seats.forEach((seat, row) => {
    const line = lines()[row] || addLine();
    player(line).value = seat.player;
    for (const [name, box] of Object.entries(seat.boxes)) showBox(field(line, name), box);
  });
  if (find.value !== next.find) find.value = next.find;
  if (next.found !== undefined) found.textContent = next.found;
  if (next.offers) showOffers(next.offers);
  if (next.why !== undefined) explain(next.why, next.whyAt);
  if (full() && next.focus && next.focus.box !== "find") unfolded = false;
  filterChips(next.find);
  renumber();
  if (next.act === "record") form.requestSubmit(record);
  else if (next.focus && (next.selected || JSON.stringify(focus) !== JSON.stringify(next.focus)))
    showFocus(next.focus, next.selected);
}

// Say what is wrong: at its field, else beside the key that records.
function explain(text, at) {
  why.textContent = memory.why = at ? "" : text;
  document.getElementById("missing")?.remove();
  for (const box of list.querySelectorAll("[data-missing]")) {
    box.removeAttribute("aria-invalid");
    delete box.dataset.missing;
  }
  if (!at) return;
  const box = inputAt(at);
  box.ariaInvalid = "true";
  box.dataset.missing = "";
  const line = Object.assign(document.createElement("div"), {
    id: "missing",
    className: "errors errorlist",
    textContent: text,
  });
  line.role = "alert";
  lines()[at.seat].append(line);
}

function showBox(input, { value, typed: isTyped }) {
  if (input.value !== value) {
    const at = input.selectionStart;
    input.value = value;
    if (input === document.activeElement) input.setSelectionRange(at, at);
  }
  if (isTyped) typed.add(input);
  else typed.delete(input);
}

function showFocus(at, selected) {
  if (at.box === "record") {
    // Its bar is in sight wherever the page is: what the page says at its top stays.
    record.focus({ preventScroll: true });
    return;
  }
  const input = at.box === "find" ? find : inputAt(at);
  if (input === find && shelf.classList.contains("full")) {
    unfolded = true;
    foldChips();
  }
  input.focus();
  if (selected) input.select();
  else input.setSelectionRange(input.value.length, input.value.length);
}

function makeButton(textContent, click) {
  const key = Object.assign(document.createElement("button"), { type: "button", className: "btn text", textContent });
  key.addEventListener("click", click);
  return key;
}

// The players whom an unknown name may mean, best first; Enter takes the first.
function showOffers({ text, people: similar }) {
  found.replaceChildren(filled(gettext("No player here is called %(name)s."), { name: text }), " ");
  for (const person of similar)
    found.append(
      makeButton(filled(gettext("%(name)s?"), { name: person.name }), () => show(Pad.choose(read(), person))),
      " ",
    );
  if (form.dataset.closed === undefined)
    found.append(
      makeButton(filled(gettext("Add %(name)s as a new player"), { name: text }), () =>
        show(Pad.addNewcomer(read(), text)),
      ),
    );
  else found.append(gettext("An organiser can add new players."));
}

function addLine() {
  const line = blank.content.firstElementChild.cloneNode(true);
  list.append(line);
  wire(line);
  return line;
}

// The fields have the numbers of their seats; the order on the page is the order at the table.
function renumber() {
  const names = Math.max(memory.usual, seated().length) === 2 ? sideNames : [];
  list.classList.toggle("bysides", names.length > 0 && !list.classList.contains("bysets"));
  const numbered = (text, row) => text.replace(/-(\d+|__prefix__)-/, `-${row}-`);
  lines().forEach((line, row) => {
    line.querySelector("[data-grip]").textContent = names[row] ?? row + 1;
    line.hidden = !player(line).value.trim() && row >= memory.usual;
    for (const input of line.querySelectorAll("input")) {
      input.name = numbered(input.name, row);
      input.id = numbered(input.id, row);
    }
    for (const label of line.querySelectorAll("label[for]")) label.htmlFor = numbered(label.htmlFor, row);
    const handle = player(line).value.trim(),
      called = line.querySelector(".called");
    nameFields(line, row, handle && nameOf(handle));
    called.textContent = handle ? nameOf(handle) : gettext("Empty seat");
    called.classList.toggle("soft", !handle);
    line.querySelector("[data-elsewhere]").hidden = !people.some(
      (person) => person.elsewhere && person.handle === handle,
    );
    const sign = line.querySelector("[data-sign]"),
      up = line.querySelector("[data-up]"),
      remove = line.querySelector("[data-remove]");
    remove.disabled = !handle && memory.usual <= Math.max(fewest, seated().length);
    remove.setAttribute(
      "aria-label",
      handle
        ? filled(gettext("Remove %(name)s"), { name: nameOf(handle) })
        : filled(gettext("Remove seat %(number)s"), { number: row + 1 }),
    );
    if (sign)
      sign.setAttribute(
        "aria-label",
        handle
          ? filled(gettext("Change the sign of %(name)s"), { name: nameOf(handle) })
          : filled(gettext("Change the sign of seat %(number)s"), { number: row + 1 }),
      );
    if (up) {
      up.setAttribute(
        "aria-label",
        handle
          ? filled(gettext("Move %(name)s up"), { name: nameOf(handle) })
          : filled(gettext("Move seat %(number)s up"), { number: row + 1 }),
      );
      up.disabled = row === 0;
    }
  });
  form.elements["seats-TOTAL_FORMS"].value = lines().length;
  for (const chip of chips) {
    const at = lines().findIndex((line) => player(line).value === chip.dataset.handle);
    chip.setAttribute("aria-pressed", String(at >= 0));
    chip.querySelector(".seat").textContent = at >= 0 ? at + 1 : "";
    chip.parentElement.style.setProperty("--seat", at + 1);
  }
  if (playedFor) namePlace();
  if (restored) restored.hidden = listSeated() !== restoredPlayers;
  foldChips();
  form.classList.toggle("seated", seated().length >= fewest);
  if (again) again.hidden = seated().length > 0;
  if (swap) swap.hidden = seated().length !== 2;
  if (more) more.hidden = Math.max(memory.usual, seated().length) >= most;
  proposePlaces();
  update();
}

const listSeated = () =>
  seated()
    .map((line) => player(line).value)
    .sort()
    .join();

// A game of exactly the sides of an open fixture is its result, whoever seated them. Who plays alone there may have any.
function namePlace() {
  const seats = lines().filter((line) => player(line).value.trim()),
    handles = seats.map((line) => player(line).value.trim()),
    write = (side) => Pad.writeSides(handles, (at) => side(at) || `seat ${at}`),
    alone = write(() => ""),
    sided = write((at) => field(seats[at], "side")?.value.trim()),
    isOf = (each, size) =>
      Pad.writeSides(each.dataset.players.split(","), (at) => Math.floor(at / size)) === (size > 1 ? sided : alone),
    matching = fixtures.filter((each) => isOf(each, Number(each.dataset.sided ?? 1))),
    // The server has compared the place of a fixture of partners with those of their players alone.
    found = matching.find((each) => each.dataset.sided) ?? matching[0];
  playedFor.replaceChildren(...(found ? describeFixture(found, handles) : []));
}

// What the game is for, whether two sit as they are paired, and what a report says that waits. A bye is for nothing.
function describeFixture({ dataset: { place, pairing, report, said, turned: saidTurned, unrated } }, handles) {
  const { paired, turned, confirm, friendly } = playedFor.dataset,
    kind = form.elements.kind?.value || "played",
    isOfTwo = handles.length === 2,
    isAsPaired = !isOfTwo || handles.join() === pairing,
    parts = [place, ...(isOfTwo ? [" \u2013 ", isAsPaired ? paired : turned] : [])];
  if (!["played", "forfeit", "friendly"].includes(kind)) return [];
  if (kind === "friendly" && unrated === undefined) return [place, ". ", friendly];
  if (!report) return parts;
  return [
    ...parts,
    ". ",
    Object.assign(document.createElement("span"), {
      className: "whole",
      textContent: `${isAsPaired ? said : saidTurned}.`,
    }),
    " ",
    Object.assign(document.createElement("a"), { href: report, textContent: confirm }),
  ];
}

// Screen readers hear whose score a field is; an empty seat has its number.
function nameFields(line, row, name) {
  for (const label of line.querySelectorAll(".sr")) {
    label.dataset.seat ??= label.textContent;
    const isOfName = label.closest(".name") && !label.closest(".sidebox");
    if (!name || isOfName) label.textContent = label.dataset.seat.replace(/\d+/, row + 1);
    else if (label.matches("span")) label.textContent = `${name} `;
    else if (score(line)) label.textContent = filled(gettext("Score of %(name)s"), { name });
    else label.textContent = filled(gettext("Place of %(name)s"), { name });
  }
}

function proposePlaces() {
  if (!byPlace()) return;
  Pad.proposePlaces(read()).seats.forEach((seat, row) => showBox(place(lines()[row]), seat.boxes.place));
}

// Once the table is full or scores are typed, only chips of seated players are shown, so that all seats fit on a phone.
function foldChips() {
  const typing = list.contains(document.activeElement) && seated().length >= fewest;
  shelf.classList.toggle("full", (full() || typing) && !unfolded);
  unfold.textContent = seated().length < most ? unfold.dataset.add : unfoldText;
}

// Sides belong to the seats, so they are not cleared.
function clearSeat(line) {
  for (const box of line.querySelectorAll("input")) {
    if (box !== field(line, "side")) box.value = "";
    box.classList.remove("guess");
    typed.delete(box);
  }
  showChange(line, null);
  showComputed(line, null);
}

function unseat(line) {
  for (const input of form.querySelectorAll("input[type=hidden][name=new]"))
    if (input.value === player(line).value) input.remove();
  clearSeat(line);
  list.append(line);
}

const seatAll = (handles) => show(Pad.seatAll(read(), handles));
const scoreFields = () => Pad.listBoxes(read()).map(inputAt);

// The proposed score of a skipped seat that the user has not seen.
function findUnseenProposal() {
  const boxes = seated().map(score).filter(Boolean),
    at = boxes.findIndex((box) => box.classList.contains("guess"));
  return at >= 0 && at < boxes.length - 1 && seen.get(boxes[at]) !== boxes[at].value ? boxes[at] : null;
}

const next = () => show(Pad.goOn(read()));
const sameTable = (turned) => (turned ? seatAll([...last.slice(1), last[0]]) : show(Pad.seatAgain(read(), last)));

// While a name is typed, chips that do not match are hidden.
function filterChips(text) {
  const matching = text ? new Set(Pad.findMatches(read(), text).map((person) => person.handle)) : null;
  for (const chip of chips)
    chip.parentElement.hidden = Boolean(matching && matching.size && !matching.has(chip.dataset.handle));
}

find.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  show(Pad.enter(read()));
});
find.addEventListener("input", () => show(Pad.settle(read())));

for (const chip of chips)
  chip.addEventListener("click", () => {
    const line = lines().find((each) => player(each).value === chip.dataset.handle);
    found.textContent = "";
    if (!line) {
      show(Pad.tap(read(), chip.dataset.handle));
      return;
    }
    unseat(line);
    renumber();
  });
unfold.addEventListener("click", () => {
  unfolded = true;
  renumber();
  (chips[0] || find).focus();
});
if (more)
  more.querySelector("button").addEventListener("click", (event) => {
    event.preventDefault();
    memory.usual = Math.max(memory.usual, seated().length) + 1;
    while (lines().length < memory.usual) addLine();
    unfolded = true;
    renumber();
    if (!memory.touched || !chips.length) find.focus();
  });
if (again)
  for (const key of again.querySelectorAll("button"))
    key.addEventListener("click", () => sameTable(key.dataset.again === "turned"));
// A result that is entered stays with its players.
swap?.firstElementChild.addEventListener("click", () => move(seated()[1], -1));
// A fixture seats its players at once; its address does so where they sit in pairs, or are more than a sheet takes here.
const isSeatedHere = ({ dataset: { sided, players } }) => !sided && players.split(",").length <= most;
for (const link of fixtures.filter(isSeatedHere))
  link.addEventListener("click", (event) => {
    event.preventDefault();
    clear();
    link.closest("details").open = false;
    show(Pad.goToBox(Pad.seatAll(read(), link.dataset.players.split(","))));
    // The list is folded above; a phone is where it was, far below what the game is for.
    playedFor?.scrollIntoView({ block: "nearest" });
  });
for (const key of document.querySelectorAll("[data-instead]"))
  key.addEventListener("click", () => {
    player(lines()[Number(key.dataset.at)]).value = key.dataset.instead;
    key.closest(".notice").remove();
    renumber();
  });

function move(line, by) {
  const all = lines(),
    to = all.indexOf(line) + by;
  if (to < 0 || to >= all.length) return;
  if (by < 0) list.insertBefore(line, all[to]);
  else list.insertBefore(line, all[to].nextElementSibling);
  afterMove();
}

// The new order also sets all places.
function afterMove() {
  if (byPlace()) for (const line of lines()) typed.delete(place(line));
  renumber();
}

function wire(line) {
  const box = score(line),
    entry = box || place(line);
  player(line).type = "hidden";
  line.querySelector(".called").hidden = false;
  if (entry) entry.classList.add("score");
  for (const input of boxesOf(line)) wireField(line, input);
  const sign = line.querySelector("[data-sign]"),
    up = line.querySelector("[data-up]");
  if (sign) {
    // The field keeps the focus, so that a phone keeps its keyboard open.
    sign.addEventListener("mousedown", (event) => event.preventDefault());
    sign.addEventListener("click", () => {
      const value = parseNumber(box.value);
      box.value = Number.isNaN(value) ? (box.value.trim() === MINUS ? "" : MINUS) : formatNumber(-value);
      typed.add(box);
      update();
      box.focus();
    });
  }
  if (up)
    up.addEventListener("click", () => {
      move(line, -1);
      (up.disabled ? record : up).focus();
    });
  line.querySelector("[data-remove]").addEventListener("click", () => {
    if (player(line).value.trim()) unseat(line);
    else memory.usual -= 1;
    found.textContent = "";
    renumber();
    if (!memory.touched) find.focus();
  });
  drag(line);
}

function wireField(line, input) {
  input.autocomplete = "off";
  input.addEventListener("beforeinput", (event) => {
    if (!event.data || !Pad.isName(event.data)) return;
    event.preventDefault();
    show(Pad.moveLetters(read(), event.data));
  });
  input.addEventListener("input", () => show(Pad.settle(read())));
  // A cleared field gets its proposed value again when it loses the focus.
  input.addEventListener("blur", () => {
    if (input === score(line)) input.value = formatScore(input.value);
    if (!input.value.trim()) {
      update();
      markSeen(input);
    }
  });
  input.addEventListener("focus", () => {
    foldChips();
    if (input.classList.contains("guess")) input.select();
    markSeen(input);
  });
  input.addEventListener("keydown", (event) => {
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      move(line, event.key === "ArrowUp" ? -1 : 1);
      input.focus();
    } else if (event.key === "Enter") {
      event.preventDefault();
      show(Pad.enter(read()));
    }
  });
}

function markSeen(box) {
  if (box.classList.contains("guess")) seen.set(box, box.value);
}

function drag(line) {
  const grip = line.querySelector("[data-grip]");
  grip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    line.classList.add("held");
    const over = (at) => {
      const target = document.elementFromPoint(at.clientX, at.clientY),
        other = target && target.closest("#seats > li");
      if (!other || other === line) return;
      // The other rows move around the dragged one, which would lose the pointer if it left the page.
      const all = lines(),
        from = all.indexOf(line),
        to = all.indexOf(other);
      if (to < from) line.after(...all.slice(to, from));
      else line.before(...all.slice(from + 1, to + 1));
    };
    const done = () => {
      line.classList.remove("held");
      grip.removeEventListener("pointermove", over);
      afterMove();
    };
    grip.addEventListener("pointermove", over);
    grip.addEventListener("lostpointercapture", done, { once: true });
  });
}

// What is left for the last seat: of the sum that the rule demands, else of the one point of a game of two. NaN: not
// known yet; null: nothing is proposed.
function proposeRest(others) {
  if (demanded !== null) return demanded - others.reduce((sum, value) => sum + value, 0);
  if (!isOfOnePoint || others.length !== 1) return null;
  return [0, 0.5, 1].includes(others[0]) ? 1 - others[0] : NaN;
}

let waiting = 0,
  asked = null;
// Update the sum, the proposed last score, and the rating changes.
function update() {
  const rows = seated().filter((line) => score(line));
  const open = rows.filter((line) => !typed.has(score(line)) || !score(line).value.trim());
  for (const line of rows) score(line).classList.remove("guess");
  if (open.length === 1 && rows.length >= fewest && document.activeElement !== score(open[0])) {
    const others = rows.filter((line) => line !== open[0]).map((line) => parseNumber(score(line).value)),
      rest = proposeRest(others);
    if (rest !== null) {
      score(open[0]).value = Number.isNaN(rest) ? "" : formatScore(formatNumber(rest));
      score(open[0]).classList.toggle("guess", !Number.isNaN(rest));
    }
  }
  showSets();
  updateSum();
  form.dispatchEvent(new Event("updated"));
  keep();
  clearTimeout(waiting);
  if (asked) asked.abort();
  waiting = setTimeout(requestPreview, 120);
}

// The points of each side in a set, "" where nothing is entered.
function readSet(number) {
  const points = new Map();
  for (const [at, line] of seated().entries()) {
    const key = side(line) || `seat ${at}`;
    points.set(key, points.get(key) || field(line, `set_${number}`).value.trim());
  }
  return [...points.values()];
}

// How many sets each side has won; null without fields for sets.
function countSets() {
  if (!field(list.firstElementChild, "set_1")) return null;
  const won = [];
  for (let number = 1; field(list.firstElementChild, `set_${number}`); number += 1) {
    const points = readSet(number).map((text) => (text ? Number(text) : NaN));
    points.forEach((own, at) => {
      won[at] = (won[at] || 0) + Number(points.length > 1 && points.every((other, i) => i === at || own > other));
    });
  }
  return won;
}

// One set after the other: the next one has fields once the one before has points, unless the match is decided.
function showSets() {
  const won = countSets();
  if (!won) return;
  const labels = (line) => [...line.querySelectorAll(".extras label:has([name*='-set_'])")],
    most = labels(list.firstElementChild).length,
    isDecided = Math.max(0, ...won) > most / 2;
  let shown = most;
  while (
    shown > 1 &&
    readSet(shown).every((text) => !text) &&
    (isDecided || !readSet(shown - 1).every(Boolean) || readSet(shown - 1).length < 2)
  )
    shown -= 1;
  for (const line of lines())
    labels(line).forEach((label, at) => {
      label.hidden = at >= shown;
    });
}

function updateSum() {
  const shown = document.getElementById("sum");
  if (!shown) return;
  const value = (line) => score(line).value.trim() || (score(line).placeholder || "").trim();
  const rows = seated().filter((line) => value(line) && value(line) !== MINUS);
  // Partners share one score.
  const values = rows
    .filter((line, at) => !side(line) || !rows.slice(0, at).some((other) => side(other) === side(line)))
    .map(value);
  const sum = values.reduce((all, text) => all + parseNumber(text), 0);
  shown.textContent = values.length
    ? (Number.isNaN(sum) ? "?" : formatNumber(sum)) +
      (demanded !== null && values.length === seated().length && Math.abs(sum - demanded) < 1e-6 ? " \u2713" : "")
    : "\u2013";
}

function showChange(row, change) {
  const live = row.querySelector(".live");
  live.replaceChildren();
  if (!change) return;
  const amount = document.createElement("span"),
    rating = document.createElement("small");
  amount.textContent = change.change;
  const flat = !/[1-9]/.test(change.change);
  amount.className = `chg ${flat ? "soft" : change.change.startsWith("+") ? "up" : "down"}`;
  rating.textContent = change.after;
  live.append(amount, rating);
}

// What the sheet does, for screen readers: once a pause of typing is over, and only if it has changed.
const PAUSE_MS = 1000;
let speaking = 0;
function speak(text) {
  const spoken = document.getElementById("spoken");
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    if (spoken.textContent !== text) spoken.textContent = text;
  }, PAUSE_MS);
}

function describeChanges(rows, changes) {
  return rows
    .map((line, at) => [nameOf(player(line).value.trim()), changes[at]])
    .filter(([, change]) => change)
    .map(([name, { change, after }]) => `${name}: ${change}, ${after}`)
    .join("; ");
}

// A score computed from the worksheet is shown as a placeholder.
function showComputed(row, made) {
  for (const box of row.querySelectorAll("[data-follows] input"))
    box.placeholder = (made && made.columns[box.name.replace(/^seats-\d+-/, "")]) || "";
  if (!score(row)) return;
  score(row).placeholder = made ? made.score : "";
  score(row).classList.toggle("made", Boolean(made) && !score(row).value.trim());
}

async function requestPreview() {
  const rows = seated();
  if (asked) asked.abort();
  asked = new AbortController();
  const ready =
    rows.length >= fewest &&
    rows.every((line) => !score(line) || score(line).value.trim() || hasWorksheet(line) || hasPartnerScore(line, rows));
  if (!ready) {
    speak("");
    lines().forEach((row) => {
      showChange(row, null);
      showComputed(row, null);
    });
    why.textContent = memory.why;
    return;
  }
  try {
    const from = Date.now();
    const answer = await fetch(form.dataset.change, {
      method: "POST",
      body: new FormData(form),
      signal: asked.signal,
      headers: { Accept: "application/json" },
    });
    if (!answer.ok || answer.redirected) return;
    const preview = await answer.json();
    if (preview.now) form.dispatchEvent(new CustomEvent("heard", { detail: [preview.now, from, Date.now()] }));
    rows.forEach((row, at) => {
      showChange(row, preview.seats[at]);
      showComputed(row, preview.made[at]);
    });
    why.textContent = memory.why || preview.why || "";
    speak(describeChanges(rows, preview.seats));
    if (preview.next) setGameNumber(preview.next);
    updateSum();
    form.dispatchEvent(new Event("updated"));
  } catch (error) {
    if (error.name !== "AbortError") why.textContent = memory.why;
  }
}

// Another user may have recorded a game meanwhile.
function setGameNumber(is) {
  const head = document.getElementById("ng"),
    was = head.textContent,
    before = head.dataset.next;
  if (before === String(is)) return;
  head.dataset.next = is;
  head.textContent = filled(gettext("Game %(number)s"), { number: is });
  if (before)
    found.textContent = filled(
      gettext("%(game)s was just recorded by someone else. This one will be game %(number)s."),
      {
        game: was,
        number: is,
      },
    );
}

// The seats as stored, so that a phone that sleeps does not lose the sheet.
function serializeSeats() {
  const seats = seated().map((line) =>
    [...line.querySelectorAll("input")].map((box) => [box.name.replace(/^seats-\d+-/, ""), box.value, typed.has(box)]),
  );
  return [
    seats,
    [...form.querySelectorAll("input[type=hidden][name=new], input[name=new]:checked")].map((box) => box.value),
  ];
}

// Fields of the game that differ from their initial values.
const gameFields = () =>
  [...form.elements].filter(
    (box) =>
      /^(text|datetime-local|number|select-one|textarea)$/.test(box.type) &&
      box.name &&
      !/^(seats-|new$)/.test(box.name),
  );
const initialValues = new Map(back ? [] : gameFields().map((box) => [box, box.value]));
const changedGameFields = () =>
  gameFields()
    .filter((box) => box.value !== (initialValues.get(box) ?? ""))
    .map((box) => [box.name, box.value]);

// A fingerprint of typed values; seats and fields that the page filled in itself do not count.
const fingerprint = () =>
  JSON.stringify([
    seated().map((line) =>
      [...line.querySelectorAll("input")]
        .filter((box) => box === player(line) || typed.has(box))
        .map((box) => box.value),
    ),
    changedGameFields(),
  ]);
const isBegun = () =>
  (seated().length > 0 || changedGameFields().some(([name]) => !name.startsWith("details_"))) &&
  fingerprint() !== initialFingerprint;
const onceOf = () => (form.elements.once ? form.elements.once.value : "");

const by = () => (form.elements.by ? form.elements.by.value : "");
let leaving = false;
// When the half-typed sheet was begun.
let draftAt = null;

function keep() {
  if (!form.dataset.kept || leaving) return;
  draftAt = isBegun() ? draftAt || Date.now() : null;
  const more = {
    waited,
    once: onceOf(),
    by: by(),
    game: changedGameFields(),
    undone: form.dataset.undone || "",
    begun: isBegun(),
    at: draftAt,
  };
  try {
    sessionStorage.setItem(form.dataset.kept, JSON.stringify([...serializeSeats(), more]));
  } catch {
    /* a browser that keeps nothing */
  }
}

// Whether a stored sheet has sides, and whether this pad has fields for them.
const hasSides = (rows) => rows.some((boxes) => boxes.some(([name, value]) => name === "side" && value.trim()));
const asksSides = () => Boolean(field(list.firstElementChild, "side"));

// Open the pad with the right columns (scores, places, sides), and take the typed sheet along.
function openPad(asks, what) {
  leaving = true;
  sessionStorage.setItem(form.dataset.kept, JSON.stringify(what));
  location.replace(`${form.getAttribute("action")}?by=${asks}${hasSides(what[0]) ? "&sides=1" : ""}`);
}

// Restore the stored sheet. If the page has filled seats of its own, return the stored sheet instead.
function bringBack() {
  let rows = [],
    added = [],
    more = {};
  try {
    [rows, added, more = {}] = JSON.parse(sessionStorage.getItem(form.dataset.kept) || "[[], []]");
  } catch {
    return null;
  }
  if (!form.dataset.kept) return null;
  if (back) {
    // The server sent back the same sheet with errors.
    if (more.once === onceOf()) waited = more.waited || null;
    return null;
  }
  const query = new URLSearchParams(location.search);
  const turned = (more.by && more.by !== by()) || (hasSides(rows) && !asksSides() && !query.has("sides"));
  if (turned && form.dataset.waiting && !("cached" in form.dataset) && more.begun && !query.has("by")) {
    openPad(more.by, [rows, added, more]);
    return null;
  }
  // A seat that the page only proposes gives way to what was typed.
  const proposed = "proposed" in form.dataset && more.begun !== undefined;
  const listPlayers = (all) => JSON.stringify(all.map(([handle, team = ""]) => [handle, team]).sort());
  const isOfSamePlayers =
    rows.length > 0 &&
    listPlayers(rows.map(Object.fromEntries).map((boxes) => [boxes.player, boxes.side])) ===
      listPlayers(seated().map((line) => [player(line).value.trim(), field(line, "side")?.value]));
  const same =
    proposed ||
    // The link of a fixture, opened again; another fixture of the same players has other sides.
    isOfSamePlayers ||
    ("cached" in form.dataset && !("proposed" in form.dataset)) ||
    (form.dataset.undone !== undefined && more.undone === form.dataset.undone);
  if (seated().length && !same) return more.begun ? [rows, added, more] : null;
  // The seats of a cached page are from an earlier game; those of an undone game may have been edited.
  if (same) for (const line of lines()) clearSeat(line);
  resume(more);
  fillIn(rows, added, more.game);
  if (more.begun === false) initialFingerprint = fingerprint();
  else if (rows.length) draftAt = more.at;
  return null;
}

// Say that the seats are those of a sheet which was not recorded.
function showDraft() {
  const isToday = new Date(draftAt).toDateString() === new Date().toDateString(),
    day = isToday ? {} : { day: "numeric", month: "long" },
    time = new Date(draftAt).toLocaleString(document.documentElement.lang, {
      ...day,
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  const link = Object.assign(document.createElement("a"), {
    href: form.getAttribute("action"),
    className: "aim",
    textContent: gettext("Clear"),
  });
  link.addEventListener("click", (event) => {
    event.preventDefault();
    wipe.click();
  });
  found.replaceChildren(filled(gettext("Draft of %(time)s"), { time }), " \u2013 ", link);
}

// A waiting sheet may have reached the server, so it keeps its key and is not recorded twice.
function resume(more) {
  waited = more.waited || null;
  if (waited && more.once) setOnce(more.once);
}

function fillIn(rows, added, game = []) {
  rows.forEach((boxes, row) => {
    const line = lines()[row] || addLine();
    // A sheet typed without sides has none, whatever the page proposes.
    if (field(line, "side")) field(line, "side").value = "";
    for (const [name, value, was] of boxes) {
      const box = field(line, name);
      if (box) {
        box.value = value;
        if (was) typed.add(box);
        else typed.delete(box);
      }
    }
  });
  for (const name of added)
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "new", value: name }));
  for (const [name, value] of game) if (form.elements[name]) form.elements[name].value = value;
}

function clear() {
  Object.assign(memory, { checked: "", offers: null });
  explain("");
  for (const line of lines()) clearSeat(line);
  for (const input of form.querySelectorAll("input[type=hidden][name=new]")) input.remove();
  unfolded = false;
  if (waited) setOnce(newKey());
  waited = null;
  // Fields of the game are cleared for the next one, but not on the sheet of a correction.
  if (form.dataset.kept) {
    for (const name of ["played_at", "turn", "note", "weight"]) if (form.elements[name]) form.elements[name].value = "";
    if (form.elements.kind) form.elements.kind.value = "played";
  }
  renumber();
}

// Ignore repeated Enter from a key that is held down, and one typed after initials that have seated their player.
document.addEventListener(
  "keydown",
  (event) => {
    const spare = performance.now() - seatedAt < SPARE_ENTER_MS;
    seatedAt = -Infinity;
    if (event.key === "Enter" && (event.repeat || spare)) {
      event.preventDefault();
      event.stopPropagation();
    }
  },
  true,
);
form.classList.add("live-pad");
shelf.hidden = false;
const wipe = document.getElementById("clear");
if (wipe) {
  wipe.hidden = false;
  wipe.addEventListener("click", () => {
    clear();
    found.textContent = find.value = "";
    find.focus();
  });
}
lines().forEach(wire);
// A filled-in sheet has names; the pad uses handles.
for (const line of lines()) {
  player(line).value = Pad.handleOf({ called }, player(line).value.trim());
  for (const box of line.querySelectorAll("input:not([type=hidden])")) box.value = box.value.replace(/^-(?=\d)/, MINUS);
  if (score(line)) score(line).value = formatScore(score(line).value);
}
for (const line of lines()) for (const box of line.querySelectorAll("input")) if (box.value.trim()) typed.add(box);
// After recording, forget the stored sheet and drop the query, so that reloading restores a later half-typed sheet.
if (
  form.dataset.kept &&
  ((form.dataset.just && !("cached" in form.dataset)) || new URLSearchParams(location.search).has("just"))
) {
  sessionStorage.removeItem(form.dataset.kept);
  history.replaceState(history.state, "", form.getAttribute("action"));
}
if (!back) initialFingerprint = fingerprint();
restoredPlayers = listSeated();
const displaced = bringBack();
// A sheet that the server sent back is no draft: numbering its seats only notes when it was begun.
const isDraft = Boolean(draftAt);
renumber();
if (isDraft && !waited) showDraft();
// Its link clears the sheet.
if (restored) {
  restored.querySelector("a").addEventListener("click", (event) => {
    event.preventDefault();
    wipe.click();
  });
  wipe.addEventListener("click", () => restored.remove());
}
const question = document.querySelector("[data-asked]");
const refused = document.querySelector(".notice.err");
if (refused) {
  // Focus the first field with an error; unknown names have a question above the seats.
  (
    form.querySelector("[aria-invalid=true]:not([type=hidden])") ||
    form.querySelector("input[type=checkbox][name=new]:not(:checked)") ||
    refused
  ).focus();
}
if (question) {
  question.focus();
  question.querySelector("[data-leave]").addEventListener("click", () => sessionStorage.removeItem(form.dataset.kept));
} else if (form.dataset.called) {
  if (!refused && !memory.touched) scoreFields()[0].select();
} else if (restored && !new URLSearchParams(location.search).has("undone")) {
  // The seats were filled in by the page: the focus on Record would record the game again by accident.
  find.focus();
  if (document.activeElement !== find) scoreFields()[0]?.select();
} else if (!refused && form.dataset.closed === undefined) next();
if (restored) history.replaceState(history.state, "", form.getAttribute("action"));
// Weight and game fields change the rating changes too, and the kind what the game is for.
form.addEventListener("input", (event) => (gameFields().includes(event.target) ? update() : keep()));
if (playedFor) form.elements.kind?.addEventListener("input", namePlace);
form.addEventListener(
  "submit",
  (event) => {
    const box = event.submitter && event.submitter.name === "_more" ? null : findUnseenProposal();
    if (!box) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    explain(
      filled(gettext("%(owner)s was skipped; %(score)s was filled in. Check it, then record."), {
        owner: Pad.ownerOf(read(), { seat: lines().indexOf(box.closest("#seats > li")) }),
        score: box.value,
      }),
    );
    box.focus();
  },
  true,
); // before the handler of report.js, which would send the form later
let sent = false;
addEventListener("pageshow", () => {
  sent = false;
});
