// Brings the current tab into sight in a line that is wider than the window, without moving the page. Browsers that
// know scroll-initial-target have done so before the page is drawn.
"use strict";
for (const current of document.querySelectorAll(":is(.tabs, .eventnav .pick) [aria-current]")) {
  const line = current.parentElement,
    [own, seen] = [current, line].map((one) => one.getBoundingClientRect()),
    // As far as a line fades out where it goes on.
    fade = 48;
  if (own.left < seen.left + fade || own.right > seen.right - fade)
    line.scrollLeft += (own.left + own.right - seen.left - seen.right) / 2;
}
