// Answers while one types: asks for the page of what is filled in, and takes its answer over. The form stays as it is, so
// that the cursor does, too. Without this script, "Calculate" asks.
const form = document.querySelector(".wform");
const WAIT = 300;
let timer;
let asked;

async function ask() {
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form));
  asked?.abort();
  asked = new AbortController();
  try {
    const response = await fetch(address, { signal: asked.signal });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of document.querySelectorAll("[data-answer]")) {
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

function wait() {
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT);
}

function addStepper(field, step) {
  const words = form.querySelector(`label[for="${field.id}"]`).textContent;
  const change = (by) => {
    field.value = String((Number(field.value.replace("−", "-").replace(",", ".")) || 0) + by);
    wait();
  };
  const [less, more] = [-step, step].map((by) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn";
    button.textContent = by < 0 ? `−${step}` : `+${step}`;
    button.ariaLabel = `${words}: ${button.textContent}`;
    button.addEventListener("click", () => change(by));
    return button;
  });
  const group = document.createElement("span");
  group.className = "stepper";
  field.before(group);
  group.append(less, field, more);
}

form?.addEventListener("input", wait);
for (const field of form?.dataset.step ? form.querySelectorAll("[name=r]") : []) {
  addStepper(field, Number(form.dataset.step));
}
for (const key of form?.querySelectorAll("[data-results]") ?? []) {
  key.addEventListener("click", (event) => {
    event.preventDefault();
    const results = key.dataset.results.split(" ");
    form.querySelectorAll("[name=r]").forEach((field, seat) => {
      field.value = results[seat] ?? "";
    });
    ask();
  });
}
