// A score pad, or a page behind a private link, without network: this worker shows the page that it saw last, and its
// parts. It keeps nothing else. Each pad and each link is a scope with a cache of its own, so that nobody sees another's.
"use strict";
const PARTS = {{ parts|safe }};
const OWN = `rungs-pad ${self.registration.scope} `;
const NAME = `${OWN}{{ version }}`;
// Milliseconds until an answer counts as none, and until a worker that is not complete gives up; the next visit tries again.
const WAIT = 8000;
const LONG_WAIT = 60000;
// Milliseconds that a visit is held up for tidying: visits wait until a new worker is active.
const SHORT_WAIT = 2000;
const SCOPE = self.registration.scope;
const IS_LINK = !SCOPE.endsWith("/record/");

const timed = (promise, wait = WAIT) => Promise.race([promise, new Promise((_, fail) => setTimeout(() => fail(new TypeError("too late")), wait))]);

// Load an answer with its body: one that stops on its way would hold its page, and the cache, for ever.
async function load(request, options) {
  const answer = await fetch(request, options);
  if (answer.body) await answer.clone().arrayBuffer();
  return answer;
}

// Change what is kept. A page is shown without it where the browser has no room, or its cache does not answer.
async function keep(change) {
  try {
    await timed(caches.open(NAME).then(change));
  } catch {
    /* the next visit tries again */
  }
}

const find = (...wanted) => timed(caches.open(NAME).then((cache) => cache.match(...wanted)));

// Delete the caches of this scope, but for one.
async function clear(but) {
  for (const name of await caches.keys()) if (name.startsWith(OWN) && name !== but) await caches.delete(name);
}

// Do steps one after the other; none holds up a visit for long, whether or not the browser comes to its end.
async function tidy(...steps) {
  for (const step of steps) await timed(step(), SHORT_WAIT).catch(() => {});
}

// A page is kept as the league's pad, or as the link's; who is signed out, or may not record any more, finds none. Of a
// link, the bare page is kept, and nothing once the link has ended.
async function keepPage(answer, address) {
  const isPage = answer.ok && answer.type === "basic" && !answer.redirected;
  if (IS_LINK && (answer.status === 404 || answer.status === 410)) {
    await tidy(clear, () => self.registration.unregister());
    return answer;
  }
  if (isPage && (!IS_LINK || address === SCOPE)) await keep((cache) => cache.put(SCOPE, answer.clone()));
  else if (!isPage && answer.status < 500) await keep((cache) => cache.delete(SCOPE));
  return answer;
}

// Load the page anew, without a form's answer or the seats of a game to be played.
async function refresh() {
  try {
    await keepPage(await timed(load(SCOPE, { redirect: "manual" })), SCOPE);
  } catch {
    /* at the next visit */
  }
}

async function page(event) {
  const { request } = event;
  try {
    const answer = await keepPage(await timed(load(request)), request.url);
    if (IS_LINK && answer.ok && request.url !== SCOPE) event.waitUntil(refresh());
    return answer;
  } catch (error) {
    const kept = await find(SCOPE);
    if (!kept) throw error;
    const headers = new Headers(kept.headers);
    for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
    return new Response((await timed(kept.text())).replace('id="pad"', `id="pad" data-cached="${kept.headers.get("Date") || ""}"`), { headers });
  }
}

async function part(request) {
  try {
    const answer = await timed(load(request));
    if (answer.ok) await keep((cache) => cache.put(request, answer.clone()));
    return answer;
  } catch (error) {
    const kept = await find(request, { ignoreSearch: true });
    if (!kept) throw error;
    return kept;
  }
}

self.addEventListener("install", (event) => event.waitUntil(timed(caches.open(NAME).then((cache) => cache.addAll(PARTS)), LONG_WAIT).then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  await tidy(() => clear(NAME), () => self.clients.claim());
  // No visit waits for the page that is loaded for later.
  refresh();
})()));
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const at = new URL(event.request.url);
  if (event.request.mode === "navigate" && at.origin + at.pathname === SCOPE) event.respondWith(page(event));
  else if (at.origin === self.location.origin && PARTS.includes(at.pathname)) event.respondWith(part(event.request));
});
