// The score pad without network: this worker shows the pad that it saw last, and its parts. It keeps nothing else.
"use strict";
const PARTS = {{ parts|safe }};
const OWN = `rungs-pad ${self.registration.scope} `;
const NAME = `${OWN}{{ version }}`;
const WAIT = 8000;

const timed = (promise) => Promise.race([promise, new Promise((_, fail) => setTimeout(() => fail(new TypeError("too late")), WAIT))]);

// A page is kept as the league's pad; who is signed out, or may not record any more, finds none.
async function keepPage(answer) {
  const cache = await caches.open(NAME);
  if (answer.ok && answer.type === "basic" && !answer.redirected) await cache.put(self.registration.scope, answer.clone());
  else if (answer.status < 500) await cache.delete(self.registration.scope);
  return answer;
}

async function pad(request) {
  try {
    return await keepPage(await timed(fetch(request)));
  } catch (error) {
    const kept = await (await caches.open(NAME)).match(self.registration.scope);
    if (!kept) throw error;
    const headers = new Headers(kept.headers);
    for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
    return new Response((await kept.text()).replace('id="pad"', 'id="pad" data-cached'), { headers });
  }
}

async function part(request) {
  const cache = await caches.open(NAME);
  try {
    const answer = await timed(fetch(request));
    if (answer.ok) await cache.put(request, answer.clone());
    return answer;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (!kept) throw error;
    return kept;
  }
}

self.addEventListener("install", (event) => event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(PARTS)).then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith(OWN) && name !== NAME) await caches.delete(name);
  await self.clients.claim();
  try { await keepPage(await fetch(self.registration.scope, { redirect: "manual" })); } catch { /* at the next visit */ }
})()));
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const at = new URL(event.request.url);
  if (event.request.mode === "navigate" && at.origin + at.pathname === self.registration.scope) event.respondWith(pad(event.request));
  else if (at.origin === self.location.origin && PARTS.includes(at.pathname)) event.respondWith(part(event.request));
});
