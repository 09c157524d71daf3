// Stores each sheet in the browser until the server has confirmed it. Sheets typed offline are sent later, in order and
// once each, as every sheet has an idempotency key. This module uses the names of pad.js.
const KEPT = form.dataset.waiting;
const list_of_waiting = document.getElementById("waiting");
let token = form.elements.csrfmiddlewaretoken.value;
// ``sending`` is the promise of the transmission in progress.
let out = false,
  sending = null;

const recall = (key, otherwise) => {
  try {
    return JSON.parse(localStorage.getItem(key)) || otherwise;
  } catch {
    return otherwise;
  }
};
const store = (key, value) => {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
};
const load = () => recall(KEPT, []);
const save = (all) => store(KEPT, all);
const removeSheet = (once) => save(load().filter((sheet) => sheet.once !== once));
const clock = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const hidden = (name, value) => Object.assign(document.createElement("input"), { type: "hidden", name, value });

// The offset of this browser's clock, from the fastest recent response; measured again when the clock was changed.
const CLOCK = `${KEPT}-clock`,
  TURNS = `${KEPT}-turns`,
  FRESH = 6 * 3600 * 1000,
  MOST_TURNS = 60;
const TIMES = ["ago", "clock", "after", "before"];
function heard(there, from, to) {
  if (!there) return;
  const known = recall(CLOCK, null),
    measured = { off: Math.round(there - (from + to) / 2), way: to - from, at: to };
  const set = known && Math.abs(known.off - measured.off) > (known.way + measured.way) / 2 + 50;
  if (!known || set || measured.way <= known.way || to - known.at > FRESH) store(CLOCK, measured);
}
form.addEventListener("heard", ({ detail }) => heard(...detail));

// Sheets wait for these answers, but not for ever; browsers without this feature do.
const patience = () => (AbortSignal.timeout ? AbortSignal.timeout(8000) : undefined);

// Measure the clock's offset before sending, because phones set their clock when they get a connection.
async function measureClock() {
  const body = new FormData(),
    from = Date.now();
  body.set("csrfmiddlewaretoken", token);
  try {
    const answer = await fetch(form.dataset.change, {
      method: "POST",
      body,
      redirect: "manual",
      signal: patience(),
      headers: { Accept: "application/json" },
    });
    if (answer.ok) heard((await answer.json()).now, from, Date.now());
  } catch {
    /* the sheets find out themselves */
  }
}

// Sheets are numbered in typing order, so that their order does not depend on clocks.
function nextTurn() {
  const known = recall(TURNS, {}),
    turn = (known.last || 0) + 1;
  store(TURNS, { ...known, last: turn });
  return turn;
}

// Form fields about when a sheet was typed: its age, the server's time, and the times of its neighbours.
function timesOf(sheet) {
  const now = Date.now(),
    clock = recall(CLOCK, null),
    { placed = [] } = recall(TURNS, {});
  const said = {
    ago: Math.max(Math.round(now - sheet.at + (clock && sheet.off !== undefined ? clock.off - sheet.off : 0)), 0),
  };
  if (clock) said.clock = now + clock.off;
  const earlier = placed.filter(([turn]) => turn < sheet.turn),
    later = placed.filter(([turn]) => turn > sheet.turn);
  if (earlier.length) said.after = earlier.at(-1)[1];
  if (later.length) said.before = later[0][1];
  return said;
}

// Add the same fields to a form.
function addTimeFields(where, sheet) {
  for (const name of TIMES) if (where.elements[name]) where.elements[name].remove();
  for (const [name, value] of Object.entries(timesOf(sheet))) where.append(hidden(name, value));
}

// Store the recorded time of a sheet.
function storeTime(sheet, played) {
  if (!played || !sheet.turn) return;
  const known = recall(TURNS, {}),
    others = (known.placed || []).filter(([turn]) => turn !== sheet.turn);
  store(TURNS, {
    ...known,
    placed: [...others, [sheet.turn, played]].sort(([first], [second]) => first - second).slice(-MOST_TURNS),
  });
}

function describeSheet() {
  const sheet = seated().map((line) => {
    const box = score(line) || place(line);
    return [nameOf(player(line).value), box ? box.value || box.placeholder : ""];
  });
  if (sheet.length === 2 && sheet.every(([, figure]) => figure)) {
    const [[first, one], [second, other]] = sheet;
    return `${first} ${formatResultOfTwo([one, other])} ${second}`;
  }
  return sheet.map((pair) => pair.join(" ").trim()).join(", ") || gettext("no players");
}

// The server deletes keys after a day; after that the user must check before a sheet is sent again.
const FORGETS = 23 * 3600 * 1000;
const LOST = gettext(
  "It was sent a day ago without a response. Check whether the game was recorded before sending it again.",
);

const FAILED = gettext(
  "The server had an error with this game (error %(status)s). It will be sent again automatically; meanwhile you can open and change it.",
);
const REFUSED = gettext("The server rejected this game (error %(status)s) without a reason.");
const GONE = gettext(
  "The user signed in here cannot record in this league. The game will be sent again automatically.",
);

async function post(sheet, own) {
  if (sheet.tried && Date.now() - sheet.tried > FORGETS) return { kind: "refused", why: LOST };
  if (!sheet.tried && navigator.onLine) change(sheet.once, { tried: Date.now() });
  const body = new URLSearchParams(sheet.fields);
  body.set("csrfmiddlewaretoken", token);
  if (sheet.once !== own || sheet.opened)
    for (const [name, value] of Object.entries(timesOf(sheet))) body.set(name, value);
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      body,
      redirect: "manual",
      headers: { Accept: "application/json" },
    });
    if (answer.type === "opaqueredirect" || answer.status === 401) return { kind: "out" };
    if (answer.status === 403) return { kind: "stale" };
    if (answer.status >= 500 || answer.status === 429)
      return { kind: "failed", why: filled(FAILED, { status: answer.status }) };
    if (answer.status === 404) return { kind: "away" };
    if (answer.ok) {
      const { target, played } = await answer.json();
      return { kind: "done", target, played };
    }
    const why = await sentenceOf(answer);
    return why ? { kind: "refused", why } : { kind: "blocked", why: filled(REFUSED, { status: answer.status }) };
  } catch {
    return { kind: "off" };
  }
}

// The reason for a refusal; "" if a proxy refused the request without one.
async function sentenceOf(answer) {
  try {
    return (await answer.json()).why || "";
  } catch {
    return "";
  }
}

// Get a new CSRF token, if the page is older than the session; only for the same user.
async function renew() {
  try {
    const answer = await fetch(form.action, { redirect: "manual", cache: "no-store", signal: patience() });
    if (answer.status === 403 || answer.status === 404) return "away";
    if (!answer.ok) return answer.status >= 500 ? "off" : "out";
    const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("pad");
    if (!page || page.dataset.waiting !== KEPT) return "out";
    token = page.elements.csrfmiddlewaretoken.value;
    return "";
  } catch {
    return "off";
  }
}

const change = (once, more) => save(load().map((each) => (each.once === once ? { ...each, ...more } : each)));

// Send the waiting sheets, oldest first; stop only without connection or session.
async function sendWaiting(own) {
  const done = { count: 0, target: "", refused: false };
  if (load().some((sheet) => !sheet.why && (sheet.once !== own || sheet.opened))) await measureClock();
  for (const sheet of load()) {
    if (sheet.why || !load().some((each) => each.once === sheet.once)) continue;
    let answer = await post(sheet, own);
    if (answer.kind === "stale") {
      const why = await renew();
      answer = why ? { kind: why } : await post(sheet, own);
    }
    out = answer.kind === "out" || answer.kind === "stale";
    change(sheet.once, { held: answer.kind === "failed" ? answer.why : "" });
    if (out || answer.kind === "off") break;
    // The user may not see the league; all sheets are sent again later.
    if (answer.kind === "away") {
      save(load().map((each) => (each.why ? each : { ...each, held: GONE })));
      break;
    }
    if (answer.kind === "failed") continue;
    if (answer.kind === "done") {
      removeSheet(sheet.once);
      storeTime(sheet, answer.played);
      done.count += 1;
      if (sheet.once === own) done.target = answer.target;
    }
    // A blocked sheet stays in the list.
    else if (sheet.once === own && answer.kind !== "blocked") {
      removeSheet(sheet.once);
      done.refused = true;
    } else change(sheet.once, { why: answer.why });
  }
  return done;
}

// One tab sends at a time.
async function send(own) {
  sending = navigator.locks ? navigator.locks.request(KEPT, () => sendWaiting(own)) : sendWaiting(own);
  const done = await sending;
  sending = null;
  showWaiting();
  return done;
}

async function sendIfWaiting() {
  if (sending || !load().some((sheet) => !sheet.why)) return;
  const { count } = await send("");
  if (!count) return;
  if (!seated().length) location.assign(form.action);
  else
    found.textContent =
      count === 1
        ? gettext("The waiting game was sent.")
        : filled(ngettext("%(count)s waiting game was sent.", "%(count)s waiting games were sent.", count), {
            count,
          });
}

function showWaiting() {
  const all = load(),
    waits = all.filter((sheet) => !sheet.why && (out || !sheet.held)),
    head = document.createElement("p"),
    rows = document.createElement("ul");
  list_of_waiting.hidden = !all.length;
  const count = waits.length;
  const text = out
    ? ngettext(
        "%(count)s game is waiting until you sign in again.",
        "%(count)s games are waiting until you sign in again.",
        count,
      )
    : ngettext("%(count)s game is waiting for a connection.", "%(count)s games are waiting for a connection.", count);
  head.className = "strong";
  head.textContent = count ? filled(text, { count }) : gettext("Not recorded:");
  if (count && out)
    head.append(
      " ",
      Object.assign(document.createElement("a"), { href: form.dataset.login, textContent: gettext("Sign in") }),
    );
  for (const sheet of all) {
    const row = document.createElement("li"),
      why = sheet.why || sheet.held;
    row.append(
      `${clock(sheet.at)} ${sheet.said}${why ? `. ${why}` : ""} `,
      openButton(sheet),
      " ",
      discardButton(sheet),
    );
    rows.append(row);
  }
  list_of_waiting.replaceChildren(head, rows);
}

function openButton(sheet) {
  const key = Object.assign(document.createElement("button"), {
    type: "button",
    className: "btn text",
    textContent: gettext("Open in the score pad"),
  });
  key.addEventListener("click", async () => {
    if (sending) {
      found.textContent = gettext("The games are being sent; this one opens afterwards.");
      await sending;
      found.textContent = "";
    }
    if (!load().some((each) => each.once === sheet.once))
      found.textContent = gettext("This game was opened in another tab.");
    else if (isOther(sheet) && !navigator.onLine)
      found.textContent = gettext("This game has other columns than the score pad; open it when you are online.");
    else if (!isBegun() || setAside()) {
      removeSheet(sheet.once);
      clear();
      openSheet(sheet);
    }
    showWaiting();
  });
  return key;
}

// Discarding is final, so the button asks once.
function discardButton(sheet) {
  const key = Object.assign(document.createElement("button"), {
    type: "button",
    className: "btn text",
    textContent: gettext("Discard"),
  });
  key.addEventListener("click", () => {
    if (!key.dataset.asked) {
      key.dataset.asked = "yes";
      key.textContent = gettext("Discard for good");
      return;
    }
    removeSheet(sheet.once);
    found.textContent = filled(gettext("Discarded: %(sheet)s."), { sheet: sheet.said });
    showWaiting();
  });
  return key;
}

function openSheet(sheet) {
  if (isOther(sheet)) {
    elsewhere(sheet);
    return;
  }
  fillIn(sheet.rows, sheet.added);
  for (const [name, value] of sheet.fields) {
    const box = form.elements[name];
    if (box && !/^seats-|^once$|^new$|^undone$/.test(name)) box.value = value;
  }
  setUndone(Object.fromEntries(sheet.fields).undone);
  resume({ waited: { at: sheet.at, off: sheet.off, turn: sheet.turn }, once: sheet.once });
  renumber();
  found.replaceChildren(gettext("The game is open again."), " ", describeTime(waited));
}

// A sheet with places or sides opens on a pad that has these columns.
const shownColumnOf = (sheet) => Object.fromEntries(sheet.fields).by;
const isOther = (sheet) => shownColumnOf(sheet) !== by() || (hasSides(sheet.rows) && !asksSides());
function elsewhere(sheet) {
  const game = sheet.fields.filter(([name]) => gameFields().some((box) => box.name === name));
  const more = {
    waited: { at: sheet.at, off: sheet.off, turn: sheet.turn },
    once: sheet.once,
    by: shownColumnOf(sheet),
    game,
    begun: true,
  };
  openPad(shownColumnOf(sheet), [sheet.rows, sheet.added, more]);
}

const describeTime = (sheet) =>
  filled(gettext("Its time is when it was entered: %(time)s."), { time: clock(sheet.at) });

// Set the number of the undone game that the sheet replaces, "" for none.
function setUndone(number) {
  if (form.elements.undone) form.elements.undone.remove();
  delete form.dataset.undone;
  if (!number) return;
  form.dataset.undone = number;
  form.append(hidden("undone", number));
}

// The sheet on the pad, for storage.
function serializeSheet() {
  const fields = [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken" && !TIMES.includes(name));
  const [rows, added] = serializeSeats(),
    known = recall(CLOCK, null);
  const times = waited || { at: Date.now(), off: known ? known.off : undefined, turn: nextTurn() };
  return {
    once: form.elements.once.value,
    opened: Boolean(waited),
    ...times,
    fields,
    rows,
    added,
    said: describeSheet(),
  };
}

// Move a half-typed sheet to the list, from which it can be opened again.
function setAside() {
  if (!save([...load(), { ...serializeSheet(), why: gettext("Not finished.") }])) {
    found.textContent = gettext("This browser cannot store games. Record the one on the score pad first, or clear it.");
    return false;
  }
  form.elements.once.value = newKey();
  return true;
}

// Start the next sheet, once this one is stored in the browser.
function startNextSheet(sheet) {
  const then = form.elements.keep.value,
    handles = seated().map((line) => player(line).value);
  clear();
  setUndone("");
  for (const old of document.querySelectorAll(".toast")) old.remove();
  form.elements.once.value = newKey();
  Object.assign(document.getElementById("ng"), { textContent: gettext("Next game") }).dataset.next = "";
  if (then) seatAll(then === "turned" ? [...handles.slice(1), handles[0]] : handles);
  initialFingerprint = fingerprint();
  keep();
  next();
  found.textContent = filled(gettext("Saved in this browser: %(sheet)s."), { sheet: sheet.said });
}

form.addEventListener("submit", async (event) => {
  if (event.submitter && event.submitter.name === "_more") return;
  event.preventDefault();
  if (sent) return;
  sent = true;
  const sheet = serializeSheet();
  const sendForm = () => {
    if (sheet.opened) addTimeFields(form, sheet);
    form.submit();
  };
  if (!save([...load(), sheet])) {
    sendForm();
    return;
  }
  const done = await send(sheet.once);
  // A refused sheet is sent as a form, so that the page shows the errors at their seats.
  if (done.refused) {
    sendForm();
    return;
  }
  if (done.target) {
    sessionStorage.removeItem(form.dataset.kept);
    location.assign(done.target);
    return;
  }
  sent = false;
  startNextSheet(sheet);
});

// The form in the question about a similar game also sends the times.
const answering = question && question.querySelector("form");
if (answering && waited) answering.addEventListener("submit", () => addTimeFields(answering, waited));

if ("cached" in form.dataset) {
  // A cached page has a used key and outdated games.
  if (!waited) form.elements.once.value = newKey();
  setUndone("");
  for (const old of document.querySelectorAll(".toast")) old.remove();
  Object.assign(document.getElementById("ng"), { textContent: gettext("Next game") }).dataset.next = "";
}
if (waited) found.textContent = describeTime(waited);
// The page has filled seats of its own, so the half-typed sheet goes to the list.
if (displaced) {
  const [rows, added] = serializeSeats(),
    own = form.dataset.undone,
    [before, names, more] = displaced;
  clear();
  fillIn(before, names, more.game);
  resume(more);
  setUndone(more.undone);
  setAside();
  clear();
  for (const [box, value] of initialValues) box.value = value;
  fillIn(rows, added);
  setUndone(own);
  initialFingerprint = fingerprint();
  renumber();
}
keep();
addEventListener("storage", ({ key }) => {
  if (key === KEPT) showWaiting();
});
addEventListener("online", sendIfWaiting);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) sendIfWaiting();
});
setInterval(sendIfWaiting, 30000);
showWaiting();
sendIfWaiting();
if (navigator.serviceWorker)
  navigator.serviceWorker.register(form.dataset.worker, { scope: new URL(form.action).pathname }).catch(() => {});
