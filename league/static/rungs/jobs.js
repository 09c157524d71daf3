// Polls jobs every two seconds while one is running; the server sends 304 if nothing changed. A form that waits for the
// end of the job, such as that of a dry run, is then sent.
"use strict";
const box = document.getElementById("jobs");
const open = () => Boolean(box.querySelector("[data-open='yes']"));
let tag = "";

async function again() {
  if (!document.hidden) {
    try {
      const answer = await fetch(box.dataset.from, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      if (answer.ok && !answer.redirected) {
        tag = answer.headers.get("ETag") || "";
        box.innerHTML = await answer.text();
      }
    } catch {
      // Retried after the next interval.
    }
  }
  if (open()) setTimeout(again, 2000);
  else box.querySelector("form[data-then]")?.submit();
}
if (open()) setTimeout(again, 2000);
