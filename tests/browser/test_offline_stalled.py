"""No visit waits for ever for the worker of a pad or a link: its network stops, its cache is full or silent."""

from typing import Any

from django.test import Client
from playwright.sync_api import Browser

SCOPE = "http://club.example/admin/leagues/club/record/"
LINK = "http://club.example/report/secret/"
#: Runs the worker's script with a network and a cache of its own, and returns what its activation, a visit of the page,
#: and a visit of a script of it, come to: "active", what the page reads, or the name of the error. ``kept`` is what the
#: cache has; ``ended`` is a link that has ended.
VISIT = """async ([script, scope, { stops, full, silent, ended, kept }]) => {
    const handlers = {};
    const never = new Promise(() => {});
    const self = {
        registration: { scope, unregister: () => (silent ? never : undefined) },
        clients: { claim: () => (silent ? never : undefined) },
        location: new URL(scope),
        addEventListener: (name, handler) => { handlers[name] = handler; },
    };
    const cache = {
        put: async (_key, answer) => {
            await answer.text();
            if (full) throw new DOMException("", "QuotaExceededError");
        },
        match: async () => kept && new Response(kept),
        delete: async () => true,
    };
    const caches = { open: async () => (silent ? never : cache), keys: async () => (silent ? never : []) };
    const body = () => new ReadableStream({
        start(part) { part.enqueue(new TextEncoder().encode("new")); if (!stops) part.close(); },
    });
    const fetch = async () => {
        const answer = new Response(body(), { status: ended ? 410 : 200 });
        Object.defineProperty(answer, "type", { value: "basic" });
        return answer;
    };
    new Function("self", "caches", "fetch", script.replace(/WAIT = \\d+/g, "WAIT = 60"))(self, caches, fetch);
    const late = () => new Promise((done) => setTimeout(() => done("waits"), 2000));
    const activate = async () => {
        let activation;
        handlers.activate({ waitUntil: (one) => { activation = one; } });
        return Promise.race([activation.then(() => "active"), late()]);
    };
    const visit = async (mode, url) => {
        let answer;
        const request = { method: "GET", mode, url };
        handlers.fetch({ request, respondWith: (one) => { answer = one; }, waitUntil() {} });
        return Promise.race([answer.then((one) => one.text()).catch((error) => error.name), late()]);
    };
    const part = new URL(script.match(/"([^"]*pad\\.js[^"]*)"/)[1], scope).href;
    return Promise.all([activate(), visit("navigate", scope), visit("no-cors", part)]);
}"""


FAULTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, "new"),
    ({"stops": True, "kept": "old"}, "old"),
    ({"stops": True}, "TypeError"),
    ({"full": True, "kept": "old"}, "new"),
    ({"silent": True}, "new"),
    ({"silent": True, "stops": True}, "TypeError"),
    ({"silent": True, "ended": True}, "new"),
)


def test_every_visit_ends(browser: Browser) -> None:
    script = Client().get("/admin/leagues/pad-worker.js").content.decode()
    page = browser.new_page()
    try:
        for fault, comes in FAULTS:
            for scope in (SCOPE, LINK):
                assert page.evaluate(VISIT, [script, scope, fault]) == ["active", comes, comes], (scope, fault)
    finally:
        page.close()
