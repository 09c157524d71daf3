"""What other places ask for again and again of a public league: one that has it already costs two short questions.

An answer is worked out once while the books stand, and kept by the process for the others that ask for it. It is
another one in every language, and every minute: players leave a board by time, periods begin.
"""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language

from league.core.db.bounded_cache import find, store
from league.core.db.statements import ask
from league.core.leaderboard.selectors.versions import public_state
from league.core.text.languages import query_without_language
from league.web.absolute_urls import absolute

View = Callable[..., HttpResponse]
#: Seconds for which an answer is at most, whatever the books say.
STANDS = 60
#: What is in such answers and moves no board: whatever is logged (settings, rules, ladders, editions), the picture,
#: rankings of periods that are not up to date.
LEAGUE_STATE = (
    "SELECT log_sha256, log_length, title, picture, touched_from, touched_key FROM league_league WHERE id = %s"
)


def while_books_stand(view: View, *, of_strangers: bool = False) -> View:
    """Let a view of a league answer strangers with what is kept; ``of_strangers``: everyone, as if a stranger."""

    @wraps(view)
    def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # Who is signed in may see others than a stranger does.
        own = not of_strangers and request.user.is_authenticated
        tag = "" if own else tag_of(request, kwargs["slug"])
        if not tag:
            answer = view(request, *args, **kwargs)
            patch_cache_control(answer, private=True, no_cache=True)
            return answer
        answer = get_conditional_response(request, etag=tag) or kept_answer(tag, lambda: view(request, *args, **kwargs))
        if answer.status_code in (200, 304):
            answer["ETag"] = tag
        answer["Cache-Control"] = "no-cache"
        return answer

    return read


def kept_answer(tag: str, made: Callable[[], HttpResponse]) -> HttpResponse:
    """Return what is stored under a tag, else what is made now, which is stored for the others."""
    found = find("answer", (tag,))
    if found is not None:
        return HttpResponse(found[0], content_type=found[1])
    answer = made()
    if answer.status_code == 200:
        store("answer", (tag,), (answer.content, answer["Content-Type"]))
    return answer


def tag_of(request: HttpRequest, slug: str) -> str:
    """Return what tells an answer about a public league from another one; "" for any other league."""
    state = public_state(slug)
    if state is None:
        return ""
    asked = absolute(request, request.path), query_without_language(request)
    return etag(*asked, state, *ask(LEAGUE_STATE, [state.league]), turn(STANDS))


def turn(seconds: int) -> int:
    """Return the number of the present span of so many seconds: what is stored lasts no longer."""
    return int(timezone.now().timestamp()) // seconds


def etag(*parts: Any) -> str:
    """Return the tag of what follows from some values and the reader's language."""
    return f'"{sha256(repr((parts, get_language())).encode()).hexdigest()[:32]}"'
