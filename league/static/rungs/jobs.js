// Jobs: asks again every other second while one is under way; the server answers 304 while nothing has moved.
// Where a form waits for the end of the job, such as that of a dry run, it is sent then.
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
      // The network comes back, or somebody loads the page again.
    }
  }
  if (open()) setTimeout(again, 2000);
  else box.querySelector("form[data-then]")?.submit();
}
if (open()) setTimeout(again, 2000);
