// The score pad: seats players by taps or initials, and shows the rating changes that the server computes. The form
// also works without it.
"use strict";
const form = document.getElementById("pad");
const list = document.getElementById("seats");
const blank = document.getElementById("seat");
const find = document.getElementById("find");
const found = document.getElementById("found");
const again = document.getElementById("again");
const record = document.getElementById("record");
const why = document.getElementById("why");
// The hint about an empty or proposed score; shown until something is typed.
let hint = "";
const shelf = document.getElementById("chips");
const MINUS = "\u2212";
const filled = (text, values) => interpolate(text, values, true);
const [most, fewest, usual] = [form.dataset.most, form.dataset.fewest, form.dataset.usual].map(Number);
const demanded = form.dataset.total === undefined ? null : Number(form.dataset.total);
const last = form.dataset.last.split(",").filter(Boolean);
const chips = [...shelf.querySelectorAll("[data-handle]")];
// Players of other leagues are found only by their full name.
const people = [...document.querySelectorAll("#players option, #elsewhere option")].map((option) => ({
  handle: option.dataset.handle,
  name: option.value,
  elsewhere: option.parentElement.id === "elsewhere",
}));
const typed = new WeakSet();
// Proposed scores that had the focus, with their value at that time.
const seen = new WeakMap();
let unfolded = false;
// On phones the keyboard stays hidden until the table is full or a name is typed.
let touched = matchMedia("(pointer: coarse)").matches;
// When a sheet that waited in this browser was typed; null for a new one.
let waited = null;
// When initials seated a player by themselves; the Enter that follows by habit within this time is ignored.
let seatedAt = -Infinity;
const SPARE_ENTER_MS = 600;
// The order of players whose proposed places the user was asked to check.
let checked = "";
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
const sideBox = (line) => (field(line, "side") ? field(line, "side").value.trim() : "");
// For two players the default sides 1-1 do not apply.
const side = (line) => {
  const rows = seated();
  return rows.length === 2 && sideBox(rows[0]) === sideBox(rows[1]) ? "" : sideBox(line);
};
const worksheetFields = (line) => [
  ...line.querySelectorAll(".extras label:not([data-follows]) input[name*='-worksheet_']"),
];
const hasWorksheet = (line) => worksheetFields(line).some((box) => box.value.trim());
// Partners share one score, typed for one of them.
const hasPartnerScore = (line, rows) =>
  Boolean(side(line)) && rows.some((other) => side(other) === side(line) && score(other).value.trim());
const seated = () => lines().filter((line) => player(line).value.trim());
const byPlace = () => !score(list.firstElementChild) && Boolean(place(list.firstElementChild));
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
const initials = (name) =>
  fold(name)
    .split(/[\s-]+/)
    .map((word) => word[0] || "")
    .join("");
const parseNumber = (text) =>
  Number(
    text
      .trim()
      .replace(/^[\u2212\u2013]/, "-")
      .replace(",", ".") || "x",
  );
const formatNumber = (value) => (value < 0 ? MINUS : "") + Math.abs(Math.round(value * 1e6) / 1e6);
const called = Object.assign(Object.create(null), JSON.parse(form.dataset.called || "{}"));
const nameOf = (handle) =>
  (
    people.find((person) => person.handle === handle) || {
      name: Object.keys(called).find((name) => called[name] === handle) || handle,
    }
  ).name;
const full = () => seated().length >= usual;
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const setOnce = (key) => {
  if (form.elements.once) form.elements.once.value = key;
};

function addLine() {
  const line = blank.content.firstElementChild.cloneNode(true);
  list.append(line);
  wire(line);
  return line;
}

// The fields have the numbers of their seats; the order on the page is the order at the table.
function renumber() {
  const numbered = (text, row) => text.replace(/-(\d+|__prefix__)-/, `-${row}-`);
  lines().forEach((line, row) => {
    line.querySelector("[data-grip]").textContent = row + 1;
    line.hidden = !player(line).value.trim() && row >= usual;
    for (const input of line.querySelectorAll("input")) {
      input.name = numbered(input.name, row);
      input.id = numbered(input.id, row);
    }
    for (const label of line.querySelectorAll("label[for]")) label.htmlFor = numbered(label.htmlFor, row);
    for (const label of line.querySelectorAll(".sr")) label.textContent = label.textContent.replace(/\d+/, row + 1);
    const handle = player(line).value.trim(),
      called = line.querySelector(".called");
    called.textContent = handle ? nameOf(handle) : gettext("Empty seat");
    called.classList.toggle("soft", !handle);
    line.querySelector("[data-elsewhere]").hidden = !people.some(
      (person) => person.elsewhere && person.handle === handle,
    );
    const sign = line.querySelector("[data-sign]"),
      up = line.querySelector("[data-up]");
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
  }
  foldChips();
  if (again) again.hidden = seated().length > 0;
  if (byPlace()) proposePlaces();
  update();
}

// Once the table is full or scores are typed, only chips of seated players are shown, so that all seats fit on a phone.
function foldChips() {
  const typing = list.contains(document.activeElement) && seated().length >= fewest;
  shelf.classList.toggle("full", (full() || typing) && !unfolded);
}

// Sides belong to the seats, so they are not cleared.
function clearSeat(line) {
  for (const box of line.querySelectorAll("input")) {
    if (box !== field(line, "side")) box.value = "";
    typed.delete(box);
  }
  showChange(line, null);
  showComputed(line, null);
}

function seat(handle) {
  const seatedLine = lines().find((line) => player(line).value === handle);
  if (seatedLine) {
    clearSeat(seatedLine);
    list.append(seatedLine);
  } else {
    if (seated().length >= most) {
      found.textContent = filled(
        ngettext("The table is full: %(count)s player.", "The table is full: %(count)s players.", most),
        { count: most },
      );
      return false;
    }
    player(lines().find((line) => !player(line).value.trim()) || addLine()).value = handle;
  }
  if (full()) unfolded = false;
  renumber();
  return true;
}

function matches(text) {
  const wanted = fold(text);
  const free = people.filter((person) => !lines().some((line) => player(line).value === person.handle));
  const exact = free.filter((person) => fold(person.name) === wanted || fold(person.handle) === wanted);
  if (exact.length) return exact;
  const similar = free
    .filter((person) => !person.elsewhere)
    .filter(
      (person) =>
        initials(person.name) === wanted ||
        fold(person.name).startsWith(wanted) ||
        fold(person.name)
          .split(/[\s-]+/)
          .some((word) => word.startsWith(wanted)),
    );
  // Matching initials come first, then players with a chip, then the others.
  const order = new Map(chips.map((chip, at) => [chip.dataset.handle, at]));
  const rank = (person) => (initials(person.name) === wanted ? 0 : 1e6) + (order.get(person.handle) ?? 1e5);
  return similar.sort((person, other) => rank(person) - rank(other));
}

function addNewcomer(name) {
  const input = document.createElement("input");
  Object.assign(input, { type: "hidden", name: "new", value: name });
  form.append(input);
  if (seat(name)) {
    found.textContent = filled(gettext("%(name)s will be added as a new player with this game."), { name });
    next();
  }
}

function offerNewcomer(name) {
  found.replaceChildren(filled(gettext("No player here is called %(name)s."), { name }), " ");
  if (form.dataset.closed !== undefined) {
    found.append(gettext("An organiser can add new players."));
    return;
  }
  const key = document.createElement("button");
  Object.assign(key, {
    type: "button",
    className: "btn text",
    textContent: filled(gettext("Add %(name)s as a new player"), { name }),
  });
  key.addEventListener("click", () => addNewcomer(name));
  found.append(key);
  key.focus();
}

// The fields in the order in which Enter visits them: columns of worksheets, or one score for each side.
function scoreFields(from) {
  const rows = seated(),
    sheets =
      rows.some((line) => worksheetFields(line).length) &&
      (from ? !from.classList.contains("score") : !rows.some((line) => score(line).value.trim()));
  if (sheets && !byPlace()) return rows.flatMap(worksheetFields);
  return [...scoreFieldBySide(rows).values()];
}

// The score field of each side: the filled one, else that of its first player. A player without partners is a side.
function scoreFieldBySide(rows) {
  const boxes = new Map();
  for (const line of rows) {
    const key = side(line) || line,
      box = byPlace() ? place(line) : score(line);
    if (!boxes.has(key) || (!boxes.get(key).value.trim() && box.value.trim())) boxes.set(key, box);
  }
  return boxes;
}

const isEmpty = (box) => !box.value.trim() && !box.placeholder;

// The owner of a field: the side's number or the player's name.
function ownerOf(box) {
  const line = box.closest("#seats > li");
  return side(line) ? filled(gettext("Team %(number)s"), { number: side(line) }) : nameOf(player(line).value);
}

// Enter moves to the next field and never skips an empty one; after the last field it records the game.
function handleEnter(line, box) {
  const boxes = scoreFields(box),
    own = boxes.includes(box) ? box : scoreFieldBySide(seated()).get(side(line) || line);
  if (!boxes.length || !own) {
    find.focus();
    return;
  }
  if (box === field(line, "side")) {
    focusNextField();
    return;
  }
  if (byPlace() && !checkPlaces()) return;
  const after = isEmpty(own) ? own : boxes[boxes.indexOf(own) + 1],
    to = after || boxes.find(isEmpty);
  if (!to) {
    form.requestSubmit(record);
    return;
  }
  if (to === own || !after)
    why.textContent = hint = filled(gettext("%(owner)s: nothing entered yet."), { owner: ownerOf(to) });
  to.focus();
  to.select();
}

// Places are proposed in the order of the seats; the first Enter asks the user to check them.
function checkPlaces() {
  const rows = seated(),
    order = rows.map((line) => player(line).value).join(" ");
  if (order === checked || rows.some((line) => typed.has(place(line)))) return true;
  checked = order;
  why.textContent = hint = gettext("The places follow the order of the seats. Check them, then press Enter.");
  return false;
}

// The proposed score of a skipped seat that the user has not seen.
function findUnseenProposal() {
  const boxes = seated().map(score).filter(Boolean),
    at = boxes.findIndex((box) => box.classList.contains("guess"));
  return at >= 0 && at < boxes.length - 1 && seen.get(boxes[at]) !== boxes[at].value ? boxes[at] : null;
}

function next() {
  find.value = "";
  filterChips("");
  if (!full()) {
    if (!touched) find.focus();
    return;
  }
  focusNextField();
}

function focusNextField() {
  // On phones the order of the taps gives the places, so no keyboard is needed.
  const open = byPlace() && touched ? null : scoreFields().find((box) => !typed.has(box) || !box.value);
  (open || record).focus();
  if (open) open.select();
}

function sameTable(turned) {
  for (const handle of turned ? [...last.slice(1), last[0]] : last) seat(handle);
  next();
}

// While a name is typed, chips that do not match are hidden.
function filterChips(text) {
  const matching = text ? new Set(matches(text).map((person) => person.handle)) : null;
  for (const chip of chips)
    chip.parentElement.hidden = Boolean(matching && matching.size && !matching.has(chip.dataset.handle));
}

find.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const text = find.value.trim();
  found.textContent = "";
  if (!text) {
    if (seated().length >= fewest) focusNextField();
    else if (!seated().length && last.length) sameTable(false);
    return;
  }
  const [person] = matches(text);
  if (!person) offerNewcomer(text);
  else if (seat(person.handle)) next();
});

// Two letters that are the initials of exactly one player seat them at once.
find.addEventListener("input", () => {
  const wanted = fold(find.value);
  touched = false;
  found.textContent = "";
  filterChips(wanted);
  if (!wanted) return;
  const similar = matches(wanted),
    byInitials = similar.filter((person) => initials(person.name) === wanted);
  const withChip = byInitials.filter((person) => chips.some((chip) => chip.dataset.handle === person.handle));
  const candidates = withChip.length ? withChip : byInitials;
  if (wanted.length > 1 && candidates.length === 1 && !similar.some((person) => fold(person.name).startsWith(wanted))) {
    if (seat(candidates[0].handle)) next();
    seatedAt = performance.now();
  } else if (similar.length && similar[0].elsewhere)
    found.textContent = filled(gettext("%(name)s plays in another league. Press Enter to seat them here."), {
      name: similar[0].name,
    });
  else
    found.textContent = similar.length
      ? filled(gettext("Press Enter to seat %(name)s."), { name: similar[0].name })
      : form.dataset.closed === undefined
        ? gettext("Press Enter to add a new player.")
        : gettext("No player here has this name.");
});

for (const chip of chips)
  chip.addEventListener("click", () => {
    found.textContent = "";
    const was = seated().length;
    if (seat(chip.dataset.handle) && seated().length > was && full()) focusNextField();
  });
document.getElementById("unfold").addEventListener("click", () => {
  unfolded = true;
  renumber();
  chips[0].focus();
});
if (again)
  for (const key of again.querySelectorAll("button"))
    key.addEventListener("click", () => sameTable(key.dataset.again === "turned"));
// A fixture seats its players at once.
for (const link of document.querySelectorAll("[data-players]"))
  link.addEventListener("click", (event) => {
    event.preventDefault();
    clear();
    for (const handle of link.dataset.players.split(",")) seat(handle);
    link.closest("details").open = false;
    focusNextField();
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

// Propose places in seat order; partners share the place of the first of them.
function proposePlaces() {
  const before = [];
  for (const line of seated()) {
    if (!side(line) || !before.includes(side(line))) before.push(side(line));
    if (typed.has(place(line)) || place(line) === document.activeElement) continue;
    const partner = side(line) && seated().find((other) => side(other) === side(line) && typed.has(place(other)));
    place(line).value = partner
      ? place(partner).value
      : (side(line) ? before.indexOf(side(line)) : before.length - 1) + 1;
  }
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
  for (const input of line.querySelectorAll("input:not([type=hidden])")) wireField(line, input);
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
  drag(line);
}

function wireField(line, input) {
  input.autocomplete = "off";
  input.addEventListener("input", () => {
    if (input.value.includes("-")) {
      const at = input.selectionStart;
      input.value = input.value.replace("-", MINUS);
      input.setSelectionRange(at, at);
    }
    hint = "";
    if (input.value.trim()) typed.add(input);
    else typed.delete(input);
    if (byPlace()) proposePlaces();
    update();
  });
  // A cleared field gets its proposed value again when it loses the focus.
  input.addEventListener("blur", () => {
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
      handleEnter(line, input);
    } else if (
      /^\p{L}$/u.test(event.key) &&
      !event.ctrlKey &&
      !event.metaKey &&
      !input.value &&
      input === score(line) &&
      !full()
    ) {
      // Letters go to the name field while there are free seats.
      unfolded = true;
      foldChips();
      find.focus();
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

let waiting = 0,
  asked = null;
// Update the sum, the proposed last score, and the rating changes.
function update() {
  const rows = seated().filter((line) => score(line));
  const open = rows.filter((line) => !typed.has(score(line)) || !score(line).value.trim());
  for (const line of rows) score(line).classList.remove("guess");
  if (demanded !== null && open.length === 1 && rows.length >= fewest && document.activeElement !== score(open[0])) {
    const rest = rows.filter((line) => line !== open[0]).reduce((sum, line) => sum + parseNumber(score(line).value), 0);
    score(open[0]).value = Number.isNaN(rest) ? "" : formatNumber(demanded - rest);
    score(open[0]).classList.toggle("guess", !Number.isNaN(rest));
  }
  updateSum();
  keep();
  clearTimeout(waiting);
  if (asked) asked.abort();
  waiting = setTimeout(requestPreview, 120);
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
    lines().forEach((row) => {
      showChange(row, null);
      showComputed(row, null);
    });
    why.textContent = hint;
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
    why.textContent = hint || preview.why || "";
    if (preview.next) setGameNumber(preview.next);
    updateSum();
  } catch (error) {
    if (error.name !== "AbortError") why.textContent = hint;
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

function keep() {
  if (!form.dataset.kept || leaving) return;
  const more = {
    waited,
    once: onceOf(),
    by: by(),
    game: changedGameFields(),
    undone: form.dataset.undone || "",
    begun: isBegun(),
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
  const same = "cached" in form.dataset || (form.dataset.undone !== undefined && more.undone === form.dataset.undone);
  if (seated().length && !same) return more.begun ? [rows, added, more] : null;
  // The seats of a cached page are from an earlier game; those of an undone game may have been edited.
  if (same) for (const line of lines()) clearSeat(line);
  resume(more);
  fillIn(rows, added, more.game);
  if (more.begun === false) initialFingerprint = fingerprint();
  return null;
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
  hint = "";
  checked = "";
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
    found.textContent = "";
    find.focus();
  });
}
lines().forEach(wire);
// A filled-in sheet has names; the pad uses handles.
for (const line of lines()) {
  player(line).value = called[player(line).value.trim()] || player(line).value;
  for (const box of line.querySelectorAll("input:not([type=hidden])")) box.value = box.value.replace(/^-(?=\d)/, MINUS);
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
const displaced = bringBack();
renumber();
// The line that says which undone game is filled in; its link clears the sheet.
const restored = document.getElementById("restored");
if (restored) {
  restored.hidden = !seated().length;
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
  if (!refused && !touched) scoreFields()[0].select();
} else if (restored && !new URLSearchParams(location.search).has("undone")) {
  // The seats were filled in by the page: the focus on Record would record the game again by accident.
  find.focus();
  if (document.activeElement !== find) scoreFields()[0]?.select();
} else if (!refused && form.dataset.closed === undefined) next();
if (restored) history.replaceState(history.state, "", form.getAttribute("action"));
// Weight and game fields change the rating changes too.
form.addEventListener("input", (event) => (gameFields().includes(event.target) ? update() : keep()));
form.addEventListener(
  "submit",
  (event) => {
    const box = event.submitter && event.submitter.name === "_more" ? null : findUnseenProposal();
    if (!box) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    why.textContent = hint = filled(gettext("%(owner)s was skipped; %(score)s was filled in. Check it, then record."), {
      owner: ownerOf(box),
      score: box.value,
    });
    box.focus();
  },
  true,
); // before the handler of report.js, which would send the form later
let sent = false;
addEventListener("pageshow", () => {
  sent = false;
});
