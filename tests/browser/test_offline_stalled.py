"""No visit waits for ever for the pad's worker: an answer that stops on its way, a cache that is full or silent."""

from typing import Any

from django.test import Client
from playwright.sync_api import Browser

SCOPE = "http://club.example/admin/leagues/club/record/"
#: Runs the worker's script with a network and a cache of its own, and returns what a visit of the pad, and a visit of
#: a script of it, come to: what the page reads, or the name of the error. ``kept`` is what the cache has.
VISIT = """async ([script, { stops, full, silent, kept }]) => {
    const handlers = {};
    const self = {
        registration: { scope: "%(scope)s" },
        location: new URL("%(scope)s"),
        addEventListener: (name, handler) => { handlers[name] = handler; },
    };
    const never = new Promise(() => {});
    const cache = {
        put: async (_key, answer) => {
            await answer.text();
            if (full) throw new DOMException("", "QuotaExceededError");
        },
        match: async () => kept && new Response(kept),
        delete: async () => true,
    };
    const caches = { open: async () => (silent ? never : cache) };
    const body = () => new ReadableStream({
        start(part) { part.enqueue(new TextEncoder().encode("new")); if (!stops) part.close(); },
    });
    const fetch = async () => {
        const answer = new Response(body());
        Object.defineProperty(answer, "type", { value: "basic" });
        return answer;
    };
    new Function("self", "caches", "fetch", script.replace(/WAIT = \\d+/g, "WAIT = 60"))(self, caches, fetch);
    const visit = async (mode, url) => {
        let answer;
        const request = { method: "GET", mode, url };
        handlers.fetch({ request, respondWith: (one) => { answer = one; }, waitUntil() {} });
        const late = new Promise((done) => setTimeout(() => done("waits"), 2000));
        return Promise.race([answer.then((one) => one.text()).catch((error) => error.name), late]);
    };
    const part = new URL(script.match(/"([^"]*pad\\.js[^"]*)"/)[1], "%(scope)s").href;
    return Promise.all([visit("navigate", "%(scope)s"), visit("no-cors", part)]);
}""".replace("%(scope)s", SCOPE)


FAULTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, "new"),
    ({"stops": True, "kept": "old"}, "old"),
    ({"stops": True}, "TypeError"),
    ({"full": True, "kept": "old"}, "new"),
    ({"silent": True}, "new"),
    ({"silent": True, "stops": True}, "TypeError"),
)


def test_every_visit_ends(browser: Browser) -> None:
    script = Client().get("/admin/leagues/pad-worker.js").content.decode()
    page = browser.new_page()
    try:
        for fault, comes in FAULTS:
            assert page.evaluate(VISIT, [script, fault]) == [comes, comes], fault
    finally:
        page.close()
