// A sheet is kept in the browser until the server has it: what is typed without network is sent when it is back, once,
// in order. Each sheet has a key of its own, by which the server knows one that comes again.
// It is a module, and stands on the names of pad.js; its own are nobody else's.
const KEPT = form.dataset.waiting;
const list_of_waiting = document.getElementById("waiting");
let token = form.elements.csrfmiddlewaretoken.value;
// What is being sent, null if nothing is.
let out = false,
  sending = null;

const recall = (key, otherwise) => {
  try {
    return JSON.parse(localStorage.getItem(key)) || otherwise;
  } catch {
    return otherwise;
  }
};
const put = (key, value) => {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
};
const load = () => recall(KEPT, []);
const save = (all) => put(KEPT, all);
const drop = (once) => save(load().filter((one) => one.once !== once));
const clock = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const hidden = (name, value) => Object.assign(document.createElement("input"), { type: "hidden", name, value });

// How far this browser's clock is off, by the quickest answer of late; anew as soon as somebody has set the clock.
const CLOCK = `${KEPT}-clock`,
  TURNS = `${KEPT}-turns`,
  FRESH = 6 * 3600 * 1000,
  MOST_TURNS = 60;
const TIMES = ["ago", "clock", "after", "before"];
function heard(there, from, to) {
  if (!there) return;
  const known = recall(CLOCK, null),
    one = { off: Math.round(there - (from + to) / 2), way: to - from, at: to };
  const set = known && Math.abs(known.off - one.off) > (known.way + one.way) / 2 + 50;
  if (!known || set || one.way <= known.way || to - known.at > FRESH) put(CLOCK, one);
}
form.addEventListener("heard", ({ detail }) => heard(...detail));

// A phone sets its clock when it finds a network: what the server's shows is asked before sheets say when they were typed.
async function listen() {
  const body = new FormData(),
    from = Date.now();
  body.set("csrfmiddlewaretoken", token);
  try {
    const answer = await fetch(form.dataset.change, {
      method: "POST",
      body,
      redirect: "manual",
      headers: { Accept: "application/json" },
    });
    if (answer.ok) heard((await answer.json()).now, from, Date.now());
  } catch {
    /* the sheets find out themselves */
  }
}

// Sheets are numbered as they are typed: what stands before and after another is told by no clock.
function takeTurn() {
  const known = recall(TURNS, {}),
    turn = (known.last || 0) + 1;
  put(TURNS, { ...known, last: turn });
  return turn;
}

// When a sheet was typed: how long ago, what the server's clock shows now, and the times of those typed around it.
function timesOf(one) {
  const now = Date.now(),
    clock = recall(CLOCK, null),
    { placed = [] } = recall(TURNS, {});
  const said = {
    ago: Math.max(Math.round(now - one.at + (clock && one.off !== undefined ? clock.off - one.off : 0)), 0),
  };
  if (clock) said.clock = now + clock.off;
  const earlier = placed.filter(([turn]) => turn < one.turn),
    later = placed.filter(([turn]) => turn > one.turn);
  if (earlier.length) said.after = earlier.at(-1)[1];
  if (later.length) said.before = later[0][1];
  return said;
}

// A form that is sent without script says the same.
function sayTimes(where, one) {
  for (const name of TIMES) if (where.elements[name]) where.elements[name].remove();
  for (const [name, value] of Object.entries(timesOf(one))) where.append(hidden(name, value));
}

// A sheet got its time.
function tookPlace(one, played) {
  if (!played || !one.turn) return;
  const known = recall(TURNS, {}),
    others = (known.placed || []).filter(([turn]) => turn !== one.turn);
  put(TURNS, {
    ...known,
    placed: [...others, [one.turn, played]].sort(([one], [two]) => one - two).slice(-MOST_TURNS),
  });
}

function inWords() {
  return (
    seated()
      .map((line) => {
        const box = score(line) || place(line);
        return `${nameOf(player(line).value)} ${box ? box.value || box.placeholder : ""}`.trim();
      })
      .join(", ") || gettext("nobody seated")
  );
}

// The server forgets the key of a sheet after a day: one that may have reached it then is looked at before it is sent again.
const FORGETS = 23 * 3600 * 1000;
const LOST = gettext(
  "It was sent a day ago and no answer came: look whether the game is recorded before it is sent again.",
);

const FAILED = gettext(
  "The server failed at this sheet (error %(status)s). It is sent again by itself; it can be opened and changed meanwhile.",
);
const REFUSED = gettext("The server refused this sheet (error %(status)s) and gave no reason.");
const GONE = gettext("Whoever is signed in here may not record in this league. The sheet is sent again by itself.");

async function post(one, own) {
  if (one.tried && Date.now() - one.tried > FORGETS) return { kind: "refused", why: LOST };
  if (!one.tried && navigator.onLine) change(one.once, { tried: Date.now() });
  const body = new URLSearchParams(one.fields);
  body.set("csrfmiddlewaretoken", token);
  if (one.once !== own || one.opened) for (const [name, value] of Object.entries(timesOf(one))) body.set(name, value);
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

// Why a sheet was refused; "" if something between browser and server refused it without a sentence.
async function sentenceOf(answer) {
  try {
    return (await answer.json()).why || "";
  } catch {
    return "";
  }
}

// A page that is older than the session has an old token: the present page's is asked for, as whoever typed the sheets.
async function renew() {
  try {
    const answer = await fetch(form.action, { redirect: "manual", cache: "no-store" });
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

// Send what waits, the oldest first; stop where the network or the session does, and nowhere else.
async function carry(own) {
  const done = { count: 0, target: "", refused: false };
  if (load().some((one) => !one.why && (one.once !== own || one.opened))) await listen();
  for (const one of load()) {
    if (one.why || !load().some((each) => each.once === one.once)) continue;
    let answer = await post(one, own);
    if (answer.kind === "stale") {
      const why = await renew();
      answer = why ? { kind: why } : await post(one, own);
    }
    out = answer.kind === "out" || answer.kind === "stale";
    change(one.once, { held: answer.kind === "failed" ? answer.why : "" });
    if (out || answer.kind === "off") break;
    // Whoever is signed in may not see the league, or not any more: all sheets are sent again later, as somebody else.
    if (answer.kind === "away") {
      save(load().map((each) => (each.why ? each : { ...each, held: GONE })));
      break;
    }
    if (answer.kind === "failed") continue;
    if (answer.kind === "done") {
      drop(one.once);
      tookPlace(one, answer.played);
      done.count += 1;
      if (one.once === own) done.target = answer.target;
    }
    // Sent as a form it would be lost: it stays in the list.
    else if (one.once === own && answer.kind !== "blocked") {
      drop(one.once);
      done.refused = true;
    } else change(one.once, { why: answer.why });
  }
  return done;
}

// One tab sends at a time.
async function send(own) {
  sending = navigator.locks ? navigator.locks.request(KEPT, () => carry(own)) : carry(own);
  const done = await sending;
  sending = null;
  tellWaiting();
  return done;
}

async function sendOn() {
  if (sending || !load().some((one) => !one.why)) return;
  const { count } = await send("");
  if (!count) return;
  if (!seated().length) location.assign(form.action);
  else
    found.textContent =
      count === 1
        ? gettext("The sheet that waited is sent.")
        : filled(ngettext("%(count)s sheet that waited is sent.", "%(count)s sheets that waited are sent.", count), {
            count,
          });
}

function tellWaiting() {
  const all = load(),
    waits = all.filter((one) => !one.why && (out || !one.held)),
    head = document.createElement("p"),
    rows = document.createElement("ul");
  list_of_waiting.hidden = !all.length;
  const count = waits.length;
  const text = out
    ? ngettext(
        "%(count)s sheet waits until you are signed in again.",
        "%(count)s sheets wait until you are signed in again.",
        count,
      )
    : ngettext("%(count)s sheet waits for the network.", "%(count)s sheets wait for the network.", count);
  head.className = "strong";
  head.textContent = count ? filled(text, { count }) : gettext("Not recorded:");
  if (count && out)
    head.append(
      " ",
      Object.assign(document.createElement("a"), { href: form.dataset.login, textContent: gettext("Sign in") }),
    );
  for (const one of all) {
    const row = document.createElement("li"),
      why = one.why || one.held;
    row.append(`${clock(one.at)} ${one.said}${why ? `. ${why}` : ""} `, opener(one), " ", thrower(one));
    rows.append(row);
  }
  list_of_waiting.replaceChildren(head, rows);
}

function opener(one) {
  const key = Object.assign(document.createElement("button"), {
    type: "button",
    className: "btn text",
    textContent: gettext("Open in the pad"),
  });
  key.addEventListener("click", async () => {
    if (sending) {
      found.textContent = gettext("The sheets are being sent. Then it opens.");
      await sending;
      found.textContent = "";
    }
    if (!load().some((each) => each.once === one.once))
      found.textContent = gettext("This sheet was opened in another tab.");
    else if (isOther(one) && !navigator.onLine)
      found.textContent = gettext(
        "The pad asks for another column than this sheet has: open it when the network is back.",
      );
    else if (!begun() || setAside()) {
      drop(one.once);
      clear();
      openSheet(one);
    }
    tellWaiting();
  });
  return key;
}

// Nothing brings a sheet back that was thrown away: the key asks once.
function thrower(one) {
  const key = Object.assign(document.createElement("button"), {
    type: "button",
    className: "btn text",
    textContent: gettext("Throw it away"),
  });
  key.addEventListener("click", () => {
    if (!key.dataset.asked) {
      key.dataset.asked = "yes";
      key.textContent = gettext("Throw it away for good");
      return;
    }
    drop(one.once);
    found.textContent = filled(gettext("Thrown away: %(sheet)s."), { sheet: one.said });
    tellWaiting();
  });
  return key;
}

function openSheet(one) {
  if (isOther(one)) {
    elsewhere(one);
    return;
  }
  fillIn(one.rows, one.added);
  for (const [name, value] of one.fields) {
    const box = form.elements[name];
    if (box && !/^seats-|^once$|^new$|^undone$/.test(name)) box.value = value;
  }
  ofUndone(Object.fromEntries(one.fields).undone);
  resume({ waited: { at: one.at, off: one.off, turn: one.turn }, once: one.once });
  renumber();
  found.replaceChildren(gettext("The sheet is open again."), " ", countsAs(waited));
}

// A sheet of places opens on the pad that asks for places, one of sides where these are asked for: they would be lost.
const asksOf = (one) => Object.fromEntries(one.fields).by;
const isOther = (one) => asksOf(one) !== by() || (sided(one.rows) && !asksSides());
function elsewhere(one) {
  const game = one.fields.filter(([name]) => ofTheGame().some((box) => box.name === name));
  const more = {
    waited: { at: one.at, off: one.off, turn: one.turn },
    once: one.once,
    by: asksOf(one),
    game,
    begun: true,
  };
  goTo(asksOf(one), [one.rows, one.added, more]);
}

const countsAs = (one) =>
  filled(gettext("It counts as played when it was typed, at %(time)s."), { time: clock(one.at) });

// Of which undone game the sheet on the pad is, "" where of none.
function ofUndone(number) {
  if (form.elements.undone) form.elements.undone.remove();
  delete form.dataset.undone;
  if (!number) return;
  form.dataset.undone = number;
  form.append(hidden("undone", number));
}

// What stands on the pad, as it is kept.
function ofThePad() {
  const fields = [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken" && !TIMES.includes(name));
  const [rows, added] = onTheSheet(),
    known = recall(CLOCK, null);
  const times = waited || { at: Date.now(), off: known ? known.off : undefined, turn: takeTurn() };
  return { once: form.elements.once.value, opened: Boolean(waited), ...times, fields, rows, added, said: inWords() };
}

// What is half typed makes room: it stands in the list, and opens from there again.
function setAside() {
  if (!save([...load(), { ...ofThePad(), why: gettext("Not finished.") }])) {
    found.textContent = gettext("This browser keeps no sheets. Record the one on the pad first, or clear it.");
    return false;
  }
  form.elements.once.value = newKey();
  return true;
}

// The sheet is safe in the browser: the next one begins.
function goOn(one) {
  const then = form.elements.keep.value,
    handles = seated().map((line) => player(line).value);
  clear();
  ofUndone("");
  for (const old of document.querySelectorAll(".toast")) old.remove();
  form.elements.once.value = newKey();
  Object.assign(document.getElementById("ng"), { textContent: gettext("Next game") }).dataset.next = "";
  if (then) for (const handle of then === "turned" ? [...handles.slice(1), handles[0]] : handles) seat(handle);
  laid = marks();
  keep();
  next();
  found.textContent = filled(gettext("Kept in this browser: %(sheet)s."), { sheet: one.said });
}

form.addEventListener("submit", async (event) => {
  if (event.submitter && event.submitter.name === "_more") return;
  event.preventDefault();
  if (sent) return;
  sent = true;
  const one = ofThePad();
  const sendForm = () => {
    if (one.opened) sayTimes(form, one);
    form.submit();
  };
  if (!save([...load(), one])) {
    sendForm();
    return;
  }
  const done = await send(one.once);
  // What is refused is sent as a form: the page comes back with each sentence at its seat.
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
  goOn(one);
});

// The question about a sheet like one that is recorded already: the answer says when the sheet was typed, too.
const answering = question && question.querySelector("form");
if (answering && waited) answering.addEventListener("submit", () => sayTimes(answering, waited));

if ("cached" in form.dataset) {
  // The page is an old one: its key is used, its games are not tonight's last.
  if (!waited) form.elements.once.value = newKey();
  ofUndone("");
  for (const old of document.querySelectorAll(".toast")) old.remove();
  Object.assign(document.getElementById("ng"), { textContent: gettext("Next game") }).dataset.next = "";
}
if (waited) found.textContent = countsAs(waited);
// The page came with seats of its own: what was half typed steps aside for them.
if (displaced) {
  const [rows, added] = onTheSheet(),
    own = form.dataset.undone,
    [before, names, more] = displaced;
  clear();
  fillIn(before, names, more.game);
  resume(more);
  ofUndone(more.undone);
  setAside();
  clear();
  for (const [box, value] of came) box.value = value;
  fillIn(rows, added);
  ofUndone(own);
  laid = marks();
  renumber();
}
keep();
addEventListener("storage", ({ key }) => {
  if (key === KEPT) tellWaiting();
});
addEventListener("online", sendOn);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) sendOn();
});
setInterval(sendOn, 30000);
tellWaiting();
sendOn();
if (navigator.serviceWorker)
  navigator.serviceWorker.register(form.dataset.worker, { scope: new URL(form.action).pathname }).catch(() => {});
