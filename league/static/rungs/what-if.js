// Answers while one types: asks for the page of what is filled in, and takes its answer over. The form stays as it is, so
// that the cursor does, too. Without this script, "Calculate" asks; with it, the key is hidden, and only Enter presses it. Where the scores have a sum, the seat that was changed
// least recently has the rest of it.
const form = document.querySelector(".wform");
const WAIT = 300;
// A name is typed letter by letter: its beginning is not asked about before it may be whole.
const WAIT_FOR_NAME = 1000;
let timer;
let asked;

const total = form?.dataset.total === undefined ? null : Number(form.dataset.total);
// The score fields, those to be kept last: at first, the last seat has the rest.
let leastRecent = [...(form?.querySelectorAll("[name=r]") ?? [])].reverse();

const write = (number) => String(Number(number.toFixed(6))).replace("-", "−");
const read = (field) => Number(field.value.trim().replace("−", "-").replace(",", ".").replace("½", ".5") || "NaN");
// In a game of two whose draw is half a point each, what is left of the one point is the other's.
const RESTS = { 0: "1", 0.5: "½", 1: "0" };
const isOfOnePoint = () => document.querySelector("[data-answer='keys'] [data-results='0.5 0.5']") !== null;

function keepTotal(changed) {
  speakOf(changed);
  leastRecent = [...leastRecent.filter((field) => field !== changed), changed];
  if (total === null) {
    if (leastRecent.length === 2 && isOfOnePoint()) leastRecent[0].value = RESTS[read(changed)] ?? "";
    return;
  }
  const [rest, ...others] = leastRecent.filter((field) => field.closest(".wseat").querySelector("[name=p]").value);
  const left = total - others.reduce((sum, field) => sum + read(field), 0);
  if (!rest || rest === changed || Number.isNaN(left)) return;
  rest.value = write(left);
  tellRest(rest);
}

// The field that was changed for its owner is washed, and a sentence below names its player.
function tellRest(rest) {
  for (const field of form.querySelectorAll("[name=r]")) field.classList.toggle("balanced", field === rest);
  const told = form.querySelector("[data-rest]");
  const { value } = rest.closest(".wseat").querySelector("[name=p]");
  told.textContent = told.dataset.rest.replace("{name}", value);
}

// The answer speaks of the player whose score was changed last.
function speakOf(changed) {
  const { value } = changed.closest(".wseat").querySelector("[name=p]");
  const me = form.querySelector("[name=me]") ?? form.appendChild(document.createElement("input"));
  Object.assign(me, { type: "hidden", name: "me", value });
}

// The problems beside the fields are those of an earlier question; the answer has the new ones.
function forgetProblems() {
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    if (!field.getAttribute("aria-describedby").includes("help")) field.removeAttribute("aria-describedby");
  }
  for (const one of document.querySelectorAll(".wform .errorlist, .cols .notice.err")) one.remove();
}

// While a name or a score is unfinished the last result stays, pale, below what is missing.
const [done, rest] = ["done", "rest"].map((name) => document.querySelector(`[data-answer="${name}"]`));

function keepResult(page) {
  const refusal = page.querySelector('[data-answer="done"] > .refusal'),
    isKept = refusal !== null && done.querySelector("table") !== null;
  if (isKept) {
    const [, sentence, ...outdated] = done.children;
    sentence.textContent = refusal.textContent.trim();
    for (const part of outdated) part.inert = true;
  }
  rest.inert = isKept;
  done.classList.toggle("outdated", isKept);
  return isKept;
}

function takeLabels(page) {
  for (const label of form.querySelectorAll("label.sr")) {
    label.textContent = page.querySelector(`label[for="${label.htmlFor}"]`)?.textContent ?? label.textContent;
    for (const button of label.parentNode.querySelectorAll(`button[data-of="${label.htmlFor}"]`))
      nameButton(button, label);
  }
}

// The beginning of a name becomes the name that was found, once it has been typed.
function takeNames(page) {
  for (const field of form.querySelectorAll("[name=p]")) {
    if (field === document.activeElement) continue;
    field.value = page.querySelector(`#${field.id}`)?.value ?? field.value;
  }
}

function nameButton(button, label) {
  button.ariaLabel = `${label.textContent.trim()}: ${button.textContent}`;
}

async function ask() {
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form));
  asked?.abort();
  asked = new AbortController();
  try {
    const response = await fetch(address, { signal: asked.signal });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    forgetProblems();
    takeLabels(page);
    takeNames(page);
    const kept = keepResult(page) ? ["keys", "how", "done", "rest"] : [];
    for (const part of document.querySelectorAll("[data-answer]")) {
      if (kept.includes(part.dataset.answer)) continue;
      const answer = page.querySelector(`[data-answer="${part.dataset.answer}"]`);
      part.replaceChildren(...answer.childNodes);
      part.hidden = answer.hidden;
    }
    history.replaceState(null, "", address);
  } catch (error) {
    // A newer question replaced this one, or the network is gone: the last answer stays.
    if (error.name !== "AbortError" && !(error instanceof TypeError)) throw error;
  }
}

function wait(time = WAIT) {
  clearTimeout(timer);
  timer = setTimeout(ask, time);
}

function addStepper(field, step) {
  const label = form.querySelector(`label[for="${field.id}"]`);
  const change = (by) => {
    field.value = write((read(field) || 0) + by);
    keepTotal(field);
    wait();
  };
  const [less, more] = [-step, step].map((by) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn";
    // The field beside it takes the score by keys.
    button.tabIndex = -1;
    button.textContent = by < 0 ? `−${step}` : `+${step}`;
    button.dataset.of = field.id;
    nameButton(button, label);
    button.addEventListener("click", () => change(by));
    return button;
  });
  const group = document.createElement("span");
  group.className = "stepper";
  field.before(group);
  group.append(less, field, more);
}

form?.addEventListener("input", (event) => {
  // Another rating may ask for other fields.
  if (event.target.name === "context") return form.submit();
  if (event.target.name === "r") keepTotal(event.target);
  // A name that is chosen from the list replaces the text.
  const isTyped = event.target.name === "p" && event.inputType !== "insertReplacementText";
  wait(isTyped ? WAIT_FOR_NAME : WAIT);
});
form?.addEventListener("change", (event) => {
  if (event.target.name === "p") wait(0);
});
// Who types in a filled field replaces what is in it.
for (const field of form?.querySelectorAll("[name=p], [name=r]") ?? []) {
  field.addEventListener("focus", () => field.select());
}
// Enter and "Clear" load the page anew: the cursor stays in its field, or is in the first one that is wrong or empty.
const LEFT = "what-if-left";
form?.addEventListener("submit", () => leaveAt(document.activeElement.id));
form?.querySelector("[data-clear]")?.addEventListener("click", () => leaveAt("p1"));
function leaveAt(id) {
  try {
    sessionStorage.setItem(LEFT, id);
  } catch {
    /* a browser that keeps nothing */
  }
}
function comeBack() {
  let id = null;
  try {
    id = sessionStorage.getItem(LEFT);
    sessionStorage.removeItem(LEFT);
  } catch {
    return;
  }
  if (id && form) (form.querySelector("[aria-invalid=true]") ?? document.getElementById(id))?.focus();
}
comeBack();
form?.querySelector(".go").setAttribute("hidden", "");
for (const field of form?.dataset.step ? form.querySelectorAll("[name=r]") : []) {
  addStepper(field, Number(form.dataset.step));
}
// An answer brings new keys: they are there from the second name on, and one is that of the result.
form?.addEventListener("click", async (event) => {
  const key = event.target.closest("[data-results]");
  if (!key) return;
  event.preventDefault();
  const results = key.dataset.results.split(" ");
  form.querySelectorAll("[name=r]").forEach((field, seat) => {
    field.value = results[seat] ?? "";
  });
  await ask();
  form.querySelector(`[data-results="${key.dataset.results}"]`)?.focus();
});
