// Focuses a button that always stays in sight, without scrolling to its place at the end of the page.
"use strict";
document.querySelector("[data-focus]").focus({ preventScroll: true });
