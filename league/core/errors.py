"""Errors with messages for users.

After every error nothing has been written. ``pointer`` is a JSON pointer into the game, player or league that was
sent; pages and API translate it into a form field, a line or a problem document. ``Problems`` collects those of a file.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

#: Maximum number of problems listed, and of messages joined into one; the rest is counted.
MAX_PROBLEMS, MAX_MESSAGES = 100, 10


def describe_more_problems(count: int) -> str:
    """Return the message with the number of unlisted problems."""
    if count <= 0:
        return ""
    template = ngettext("And {count} more problem.", "And {count} more problems.", count)
    return " " + template.format(count=number_format(count, force_grouping=True))


def build_pointer(*names: object) -> str:
    """Return the JSON pointer (RFC 6901) of nested names."""
    return "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in names)


class PlayerName(NamedTuple):
    """A player whom a text may mean."""

    handle: str
    name: str


@dataclass(frozen=True)
class Problem:
    """A problem: its JSON pointer, a stable code, a message, and the line and column of a file.

    ``candidates``: the players of an ambiguous name; ``similar``: those with names like an unknown one.
    """

    pointer: str
    code: str
    detail: str
    line: int | None = None
    column: int | None = None
    candidates: tuple[PlayerName, ...] | None = None
    similar: tuple[PlayerName, ...] | None = None


def serialize_problem(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON types, without members that are None."""
    members = {name: value for name, value in vars(problem).items() if value is not None}
    for name in members.keys() & {"candidates", "similar"}:
        members[name] = [player._asdict() for player in members[name]]
    return members


class RungsError(Exception):
    """Base of all errors; ``status`` is the HTTP status.

    ``detail`` is in the reader's language; ``title`` is translated in the response.
    ``retry_after`` is the number of seconds after which a retry may help, or "".
    """

    status, retry_after = 400, ""
    code = "invalid"
    title = gettext_noop("The request is not valid.")

    def __init__(
        self, detail: str, problems: Sequence[Problem] = (), members: Mapping[str, int | str] | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = tuple(problems)
        self.members = dict(members or {})
        """Additional data for programs, such as the number of the game that replaced a void one."""

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> "RungsError":
        """Return one error for several problems, with their first messages."""
        message = " ".join(problem.detail for problem in problems[:MAX_MESSAGES])
        return cls(message + describe_more_problems(len(problems) - MAX_MESSAGES), problems[:MAX_PROBLEMS])


class Invalid(RungsError):
    """The input is not well-formed: a wrong type, an impossible date, an unknown word."""


class Forbidden(RungsError):
    """The client lacks the required role or scope."""

    status = 403
    code = "forbidden"
    title = gettext_noop("This is not allowed.")


class NotFound(RungsError):
    """The object does not exist, or the client may not see it."""

    status = 404
    code = "not_found"
    title = gettext_noop("This does not exist.")


class Conflict(RungsError):
    """The request contradicts the league's data."""

    status = 409
    code = "conflict"
    title = gettext_noop("This conflicts with existing data.")


class Refused(RungsError):
    """The input is well-formed, but the league's rules do not allow it."""

    status = 422
    code = "refused"
    title = gettext_noop("The league's rules do not allow this.")


class AmbiguousPlayer(Refused, NotFound):
    """A text is the name of several players: the API refuses it, and a page finds nobody."""


class KeyReused(Refused):
    """The key of a request was used for another request."""

    code = "key_reused"
    title = gettext_noop("The key was used for another request.")


class Cancelled(Conflict):
    """A user cancelled the job; its writes were rolled back."""

    code = "cancelled"
    title = gettext_noop("It was cancelled.")


class RequestUnderway(Conflict):
    """The same request is being processed; a retry in a moment helps."""

    retry_after = "1"
    code = "underway"
    title = gettext_noop("The same request is still being processed.")


class UnknownZone(Refused):
    """This machine does not know a league's time zone."""


class Busy(RungsError):
    """The database is too busy; a retry helps."""

    status, retry_after = 503, "1"
    code = "busy"
    title = gettext_noop("The database is busy.")


class TooMany(RungsError):
    """The client or its network sent too many requests; a later retry helps."""

    status, retry_after = 429, "60"
    code = "too_many"
    title = gettext_noop("Too many requests.")


class Preparing(RungsError):
    """A worker is preparing the response; a retry helps."""

    status, retry_after = 503, "10"
    code = "preparing"
    title = gettext_noop("The answer is being prepared.")


class TooManyLongRequests(RungsError):
    """Too many long requests are being processed; a retry helps."""

    status, retry_after = 503, "5"
    code = "crowded"
    title = gettext_noop("Too many long requests are being processed.")


class DatabaseUnavailable(RungsError):
    """The database is not reachable or not usable; a later retry helps."""

    status, retry_after = 503, "5"
    code = "unavailable"
    title = gettext_noop("The database does not respond.")


class DiskFull(RungsError):
    """The disk is full; an operator must free space."""

    status, retry_after = 507, "60"
    code = "full"
    title = gettext_noop("The server's disk is full.")


class ClockBehind(RungsError):
    """The machine's clock is behind the log; an operator must set it."""

    status, retry_after = 503, "60"
    code = "clock_back"
    title = gettext_noop("The server's clock is wrong.")


class BadFile(Invalid):
    """A file with problems: ``count`` of them, the first ``MAX_PROBLEMS`` named. Nothing was written.

    Its status and code are those that a game sent alone would be answered with: what is not well-formed
    before what the rules refuse, that before what contradicts the league's data.
    """

    def __init__(
        self, problems: Sequence[Problem], count: int, kinds: Collection[type[RungsError]] = (Invalid,)
    ) -> None:
        self.count = count
        kind = next((kind for kind in (Invalid, Refused, Conflict) if kind in kinds), Invalid)
        self.status, self.code, self.title = kind.status, kind.code, kind.title
        detail = " ".join(problem.detail for problem in problems[:3])
        reason = detail + describe_more_problems(count - 3)
        super().__init__(_("Nothing was imported. {why}").format(why=reason), problems)


class Problems:
    """Collects sentences with lines and raises them together; nothing was written then."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.kinds: set[type[RungsError]] = set()
        self.count = 0

    def add(self, line: int, code: str, sentence: str, where: str = "", kind: type[RungsError] = Invalid) -> None:
        """Note what is wrong on a line, and as which kind of error a game sent alone would have it."""
        self.add_problem(line, Problem(where, code, sentence), kind)

    def add_problem(self, line: int, problem: Problem, kind: type[RungsError] = Invalid) -> None:
        """Note a problem with its line; its pointer is one into the line."""
        self.count += 1
        self.kinds.add(kind)
        if len(self.problems) < MAX_PROBLEMS:
            detail = _("Line {line}: {why}").format(line=line, why=problem.detail)
            self.problems.append(
                replace(problem, pointer=f"/lines/{line}{problem.pointer}", detail=detail, line=problem.line or line)
            )

    def raise_any(self) -> None:
        """Raise BadFile with everything that was noted."""
        if self.count:
            raise BadFile(self.problems, self.count, self.kinds)
