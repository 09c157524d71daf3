"""What can go wrong, as sentences for the person who must act.

Every error means that nothing was written. ``pointer`` is a JSON pointer into the game, player or
league as it was sent; the faces translate it to a form field, a line or a problem document.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext_noop, ngettext

#: Maximum number of problems listed, and of messages joined into one; the rest is counted.
MAX_PROBLEMS, MAX_MESSAGES = 100, 10


def and_more(count: int) -> str:
    """Return the sentence that says how many problems are not named."""
    if count <= 0:
        return ""
    sentence = ngettext("And {count} more problem.", "And {count} more problems.", count)
    return " " + sentence.format(count=number_format(count, force_grouping=True))


def pointer_to(*names: object) -> str:
    """Return the JSON pointer (RFC 6901) of what is under these names, one in the other."""
    return "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in names)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where (JSON pointer), a stable word, a sentence, and the line of a file."""

    pointer: str
    code: str
    detail: str
    line: int | None = None


class RungsError(Exception):
    """Base of all errors of the league's data; ``status`` is the HTTP status that fits it.

    Details are in the language of whoever asks; a ``title`` is marked, and translated where it becomes an answer.

    ``retry_after`` is after how many seconds sending again may help, "" if it does not.
    """

    status, retry_after = 400, ""
    code = "invalid"
    title = gettext_noop("The request is not valid.")

    def __init__(self, detail: str, problems: Sequence[Problem] = (), members: Mapping[str, int] | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = tuple(problems)
        self.members = dict(members or {})
        """What programs want to know beside the sentence, such as the game that replaced a void one."""

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> "RungsError":
        """Make one error out of several problems; its detail is their first sentences."""
        sentences = " ".join(problem.detail for problem in problems[:MAX_MESSAGES])
        return cls(sentences + and_more(len(problems) - MAX_MESSAGES), problems[:MAX_PROBLEMS])


class Invalid(RungsError):
    """Not well-formed: a wrong type, an impossible date, an unknown word."""


class Forbidden(RungsError):
    """The asker has not the role or scope that it takes."""

    status = 403
    code = "forbidden"
    title = gettext_noop("This is not allowed.")


class NotFound(RungsError):
    """There is no such thing, or it is not for the asker to see."""

    status = 404
    code = "not_found"
    title = gettext_noop("This does not exist.")


class Conflict(RungsError):
    """It contradicts what is in the league's data."""

    status = 409
    code = "conflict"
    title = gettext_noop("This conflicts with existing data.")


class Refused(RungsError):
    """Well-formed, but the rules of the league refuse it."""

    status = 422
    code = "refused"
    title = gettext_noop("The league's rules do not allow this.")


class KeyReused(Refused):
    """The key of a request stands for another request."""

    code = "key_reused"
    title = gettext_noop("The key was used for another request.")


class Cancelled(Conflict):
    """Somebody had a job stop; what it had written until then is gone."""

    code = "cancelled"
    title = gettext_noop("It was cancelled.")


class Underway(Conflict):
    """The same request is being worked on; asking again in a moment helps."""

    retry_after = "1"
    code = "underway"
    title = gettext_noop("The same request is still being processed.")


class UnknownZone(Refused):
    """This machine does not know a league's time zone (any more)."""


class Busy(RungsError):
    """The database is too busy right now; trying again helps."""

    status, retry_after = 503, "1"
    code = "busy"
    title = gettext_noop("The database is busy.")


class TooMany(RungsError):
    """The asker, or their network, asked too often; asking again later helps."""

    status, retry_after = 429, "60"
    code = "too_many"
    title = gettext_noop("Too many requests.")


class Preparing(RungsError):
    """A worker is preparing the answer; asking again helps."""

    status, retry_after = 503, "10"
    code = "preparing"
    title = gettext_noop("The answer is being prepared.")


class Crowded(RungsError):
    """Too many answers that take long are being worked out at once; asking again helps."""

    status, retry_after = 503, "5"
    code = "crowded"
    title = gettext_noop("Too many long requests are being processed.")


class Away(RungsError):
    """The database is not to be reached, or cannot be used; trying again later helps."""

    status, retry_after = 503, "5"
    code = "unavailable"
    title = gettext_noop("The database does not respond.")


class Full(RungsError):
    """There is no room left to write; someone must make some, which takes longer than a moment."""

    status, retry_after = 507, "60"
    code = "full"
    title = gettext_noop("The server's disk is full.")


class ClockBack(RungsError):
    """The machine's clock is behind what was written already; someone must set it."""

    status, retry_after = 503, "60"
    code = "clock_back"
    title = gettext_noop("The server's clock is wrong.")
