"""Answers that take long, for readers without a token or a session: how many at once, and how long in a minute.

Everything here is for each web process, but for the time, which is counted where requests are (``limits``). Boards, and
whatever else is quick, are never counted.
"""

import re
import threading
import time

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.errors import Crowded, TooMany
from league.core.text.numbers import number
from league.web.api.core import limits
from league.web.api.core.conditional import takes_table

#: Exports, comparisons of days and players, what-if, pictures; questions for past boards, tables and searches.
PATHS = re.compile(r"/(?:export|compared|what-if|preview)/$|/(?:card\.png|games\.csv)$|/versus/.")
#: Where these are asked; other pages ask no database for them.
ASKED = ("/leagues/", "/api/")
QUESTIONS = re.compile(r"(?:^|&)(?:(?:at|search|q|table)=[^&]|format=(?!json(?:&|$))[^&])")
#: Seconds that a request waits for its turn, and how many wait at most: they hold threads.
PATIENCE, MAX_WAITING = 1.0, 4


class LongAnswers:
    """Counts the long answers that a process is working out."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.running = self.waiting = 0

    def has_room(self) -> bool:
        """Return whether another one may begin."""
        return self.running < (settings.RUNGS_LONG_ANSWERS or self.running + 1)

    def is_saturated(self) -> bool:
        """Return whether the next one must wait."""
        return not self.has_room()

    def enter(self) -> None:
        """Begin one, after a wait if need be; raises Crowded."""
        with self.changed:
            if not self.has_room() and not self.waited():
                raise Crowded(_("The site is processing too many long requests. Try again in a few seconds."))
            self.running += 1

    def waited(self) -> bool:
        """Wait for a turn; returns whether it came."""
        if self.waiting >= MAX_WAITING:
            return False
        self.waiting += 1
        try:
            return self.changed.wait_for(self.has_room, PATIENCE)
        finally:
            self.waiting -= 1

    def leave(self) -> None:
        """End one."""
        with self.changed:
            self.running -= 1
            self.changed.notify()


LONG_ANSWERS = LongAnswers()


class RequestTurn:
    """The turn of a request: from its beginning until its answer is complete."""

    def __init__(self, request: HttpRequest) -> None:
        """Begin; raises TooMany when the network has used up its time in this minute, or Crowded."""
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
        """End, and count how long a processor was busy."""
        LONG_ANSWERS.leave()
        limits.count_work(self.request, time.thread_time() - self.begun)

    def end_with(self, response: HttpResponseBase) -> HttpResponseBase:
        """End when an answer is complete: one that is worked out while it is sent, when it is closed."""
        if response.streaming and not response.has_header("Content-Length"):
            response._resource_closers.append(self.end)  # type: ignore[attr-defined]  # as requests are watched
        else:
            self.end()
        return response


def takes_long(request: HttpRequest) -> bool:
    """Return whether a request may take long, and comes without a token or a session."""
    path = request.path_info
    asks = path.startswith(ASKED) and QUESTIONS.search(request.META.get("QUERY_STRING", ""))
    table = path.startswith("/api/") and takes_table(request)
    if not (asks or table or PATHS.search(path)):
        return False
    if path.startswith("/api/") and limits.token_of(request):
        return False  # One that is not good is refused before any work.
    return not request.user.is_authenticated
