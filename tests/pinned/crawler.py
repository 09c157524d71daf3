"""Follows the links of a site, a few addresses of each route, and returns what they answer."""

import re
from collections import Counter, deque
from collections.abc import Callable, Sequence
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.http import Http404
from django.test import Client
from django.urls import resolve

#: Addresses of a route that are read: without a query, and with one.
EACH, ASKED = 3, 2
LINK = re.compile(r'(?:href|src|action|data-[a-z-]+)="([^"#]+)')
#: What another build, browser or request has otherwise.
MASKS = (
    (re.compile(r"(/static/[\w./-]+?)\.[0-9a-f]{12}\.(\w+)"), r"\1.HASH.\2"),
    (re.compile(r'(name="csrfmiddlewaretoken" value=")[^"]*'), r"\1"),
    (re.compile(r'(nonce=")[^"]*'), r"\1"),
)
#: Routes that end the session, or leave the site.
NOT_READ = ("logout", "jsi18n", "openapi")
#: Other languages are read of the first pages alone: they are in every footer.
LANGUAGE = "lang="


def mask(text: str) -> str:
    """Return a text without what changes from build to build."""
    for pattern, instead in MASKS:
        text = pattern.sub(instead, text)
    return text


def describe_answer(answer: Any) -> str:
    """Return status, type, target and body of an answer."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    kind, target = (answer.headers.get(name, "") for name in ("Content-Type", "Location"))
    return f"{answer.status_code} {kind} {target}\n{mask(body.decode('utf-8', 'surrogateescape'))}"


def crawl(client: Client, starts: Sequence[str], follows: Callable[[str], bool]) -> dict[str, str]:
    """Return address -> its answer, of all ``starts``, and breadth first of a few addresses of each route."""
    waiting, seen, read = deque(starts), set(starts), Counter[tuple[str, bool]]()
    found: dict[str, str] = {}
    while waiting:
        address = waiting.popleft()
        try:
            route = resolve(urlsplit(address).path).route
        except Http404:
            continue
        asks = "?" in address
        limit = ASKED if asks else EACH
        if address not in starts and (read[route, asks] >= limit or any(name in route for name in NOT_READ)):
            continue
        read[route, asks] += 1
        answer = client.get(address)
        found[address] = text = describe_answer(answer)
        for link in [answer.headers.get("Location", ""), *LINK.findall(text)]:
            link = urljoin(f"http://testserver{address}", unescape(link))
            parts = urlsplit(link)
            following = parts.path + (f"?{parts.query}" if parts.query else "")
            is_new = following not in seen and LANGUAGE not in following
            if parts.netloc == "testserver" and is_new and follows(following):
                seen.add(following)
                waiting.append(following)
    return found
