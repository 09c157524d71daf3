"""Which requests a replica answers, and the database itself where it cannot.

A page or an answer of the API that somebody only reads is made from a replica: one that is no further behind than
the settings allow, nor behind what this process has shown or this browser has written. Everything else is the
database's: whatever is sent, the desk, accounts, and who comes with a token, which keeps no mark of what it wrote.

What a replica could not answer well is asked again at the database, and nobody hears of the first answer: it died,
it does not know the address (yet), something wanted to write. So is what would be streamed: half of it could not be
taken back.
"""

import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import Error
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from league.db.replicas import marks
from league.db.replicas.connection import ReplicaConnection, connection_to, reading
from league.db.replicas.knowing import Replica
from league.db.replicas.looking import Looking, looking
from league.db.replicas.positions import NOW, number
from league.db.statements import ask
from league.watch.meters import METERS

Answer = Callable[[HttpRequest], HttpResponseBase]
SAFE = ("GET", "HEAD")
#: Nothing of the books is in there.
FILES = ("/static/", "/look/")
#: What is told there is of the database itself, of accounts, or of links that are good once.
DATABASES_OWN = ("/admin/", "/accounts/", "/invitations/", "/report/", "/status", "/api/v1/tokens/")
LEAGUE = re.compile(r"/leagues/([A-Za-z0-9_-]{1,64})/")
#: From here on an answer is an error: the database may know better.
ERRORS = 400


class ReplicaMiddleware:
    """Stands around all that asks the database; is not there where there is no replica."""

    def __init__(self, get_response: Answer, look: Looking | None = None) -> None:
        self.get_response = get_response
        self.look = look or looking_or_none()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        if request.path_info.startswith(FILES):
            return self.get_response(request)
        self.look.begin()
        league = league_of(request.path_info)
        replica = self.replica_for(request, league) if may_read(request) else None
        response = None if replica is None else self.from_replica(request, *replica)
        if response is None:
            response = self.from_database(request, league)
        return response

    def replica_for(self, request: HttpRequest, league: str) -> tuple[Replica, ReplicaConnection] | None:
        """Return the replica to read, with a connection to it; None where the database is to be asked."""
        replica, floor = self.look.choice.choose(), self.look.floors.of(league)
        if replica is None or floor is None:
            return None
        least = max(floor, marks.marked(request))
        connection = connection_to(replica.name, self.look.config_of(replica))
        try:
            # Every second it is asked how far it is; it may have got far enough since.
            if (replica.replayed < least or connection.connection is None) and not reaches(replica, connection, least):
                return None
        except Error:
            self.look.choice.failed(replica)
            return None
        return replica, connection

    def from_replica(
        self, request: HttpRequest, replica: Replica, connection: ReplicaConnection
    ) -> HttpResponseBase | None:
        """Return what a replica answers; None where the database is to be asked, as if nobody had been."""
        before, sent = dict(request.__dict__), dict(request.META)
        with reading(connection):
            response = self.get_response(request)
            good = not connection.failed and not response.streaming and response.status_code < ERRORS
            # Where this process reads another one by now, nobody knows which of the two is further.
            if good and self.look.choice.now is replica:
                METERS.count("rungs_reads_total", "replica")
                return response
            response.close()
        if connection.failed and not lives(connection):
            self.look.choice.failed(replica)
        request.__dict__.clear()
        request.__dict__.update(before)
        request.META.clear()
        request.META.update(sent)
        METERS.count("rungs_reads_total", "again")
        return None

    def from_database(self, request: HttpRequest, league: str) -> HttpResponseBase:
        """Return what the database answers; how far it is after that no replica may be behind of."""
        response = self.get_response(request)
        wrote = request.method not in (*SAFE, "OPTIONS")
        try:
            position = number(ask(NOW)[0][0])
            self.look.floors.raised(league, position)
        except Error:
            position = marks.UNKNOWN
            self.look.floors.opened()
        if wrote and not ERRORS <= response.status_code < 500 and "HTTP_AUTHORIZATION" not in request.META:
            marks.mark(response, position)
        if not wrote:
            METERS.count("rungs_reads_total", "database")
        return response


def looking_or_none() -> Looking:
    """Return what looks at the replicas; where there is none, nobody stands here."""
    if not settings.RUNGS_REPLICAS:
        raise MiddlewareNotUsed
    return looking()


def reaches(replica: Replica, connection: ReplicaConnection, least: int) -> bool:
    """Ask a replica how far it is, and tell whether that is far enough."""
    before = replica.replayed
    position = connection.position()
    if position is None or not replica.seen(before, position):
        raise Error(f"{replica.name} is not where it was")
    return position >= least


def lives(connection: ReplicaConnection) -> bool:
    """Tell whether a connection on which something failed is good still."""
    return connection.connection is not None and connection.is_usable()


def may_read(request: Any) -> bool:
    """Tell whether a request only reads what replicas know."""
    if request.method not in SAFE or "HTTP_AUTHORIZATION" in request.META:
        return False
    return not request.path_info.startswith(DATABASES_OWN)


def league_of(path: str) -> str:
    """Return the league that an address is of; "" for all of them."""
    found = LEAGUE.search(path)
    return found.group(1) if found else ""
