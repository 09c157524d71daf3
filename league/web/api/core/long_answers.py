"""Limits of long requests without a token or session: how many at once, and CPU time per minute.

They apply per web process, except the CPU time, which ``limits`` counts. Leaderboards and other quick pages are never
counted.
"""

import re
import threading
import time

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.errors import TooMany, TooManyLongRequests
from league.core.text.display_formats import number
from league.web.api.core import limits
from league.web.api.core.conditional import accepts_csv

#: Exports, comparisons of days and players, what-if, pictures; queries for past boards, tables and searches.
PATHS = re.compile(r"/(?:export|compared|what-if|preview)/$|/(?:card\.png|games\.csv)$|/versus/.")
#: Paths that QUERIES applies to; other pages ignore these parameters.
QUERY_PATHS = ("/leagues/", "/api/")
QUERIES = re.compile(r"(?:^|&)(?:(?:at|search|q|table)=[^&]|format=(?!json(?:&|$))[^&])")
#: Seconds that a request waits for its turn, and the maximum number of waiting requests: each holds a thread.
MAX_WAIT, MAX_WAITING = 1.0, 4


class LongAnswers:
    """Counts the long requests that a process is handling."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.running = self.waiting = 0

    def has_room(self) -> bool:
        """Return whether another one may start."""
        return self.running < (settings.RUNGS_LONG_ANSWERS or self.running + 1)

    def is_saturated(self) -> bool:
        """Return whether the next one must wait."""
        return not self.has_room()

    def enter(self) -> None:
        """Start one, after a wait if necessary; raises Crowded."""
        with self.changed:
            if not self.has_room() and not self.wait_for_turn():
                raise TooManyLongRequests(
                    _("The site is processing too many long requests. Try again in a few seconds.")
                )
            self.running += 1

    def wait_for_turn(self) -> bool:
        """Wait for a turn; returns False after a timeout."""
        if self.waiting >= MAX_WAITING:
            return False
        self.waiting += 1
        try:
            return self.changed.wait_for(self.has_room, MAX_WAIT)
        finally:
            self.waiting -= 1

    def leave(self) -> None:
        """End one."""
        with self.changed:
            self.running -= 1
            self.changed.notify()


LONG_ANSWERS = LongAnswers()


class RequestTurn:
    """The turn of a long request, from its start to the end of its response."""

    def __init__(self, request: HttpRequest) -> None:
        """Start; raises TooMany if the network has used up this minute's CPU time, or Crowded."""
        wait = limits.wait_for_work(request)
        if wait:
            text = ngettext(
                "Your network sent too many long requests. Wait {count} second, or sign in.",
                "Your network sent too many long requests. Wait {count} seconds, or sign in.",
                wait,
            )
            error = TooMany(text.format(count=number(wait)))
            error.retry_after = str(wait)
            raise error
        LONG_ANSWERS.enter()
        self.request, self.begun = request, time.thread_time()

    def end(self) -> None:
        """End the turn and count its CPU time."""
        LONG_ANSWERS.leave()
        limits.count_work(self.request, time.thread_time() - self.begun)

    def end_with(self, response: HttpResponseBase) -> HttpResponseBase:
        """End the turn when the response is complete: a streamed one when it is closed."""
        if response.streaming and not response.has_header("Content-Length"):
            response._resource_closers.append(self.end)  # type: ignore[attr-defined]  # as requests are watched
        else:
            self.end()
        return response


def takes_long(request: HttpRequest) -> bool:
    """Return whether a request may take long and has neither token nor session."""
    path = request.path_info
    queries = path.startswith(QUERY_PATHS) and QUERIES.search(request.META.get("QUERY_STRING", ""))
    table = path.startswith("/api/") and accepts_csv(request)
    if not (queries or table or PATHS.search(path)):
        return False
    if path.startswith("/api/") and limits.token_of(request):
        return False  # An invalid one is refused before any work.
    return not request.user.is_authenticated
