"""FIDE's regulations in a competition that is held to them: warnings in steps, results that are fixed, and leaving.

A warning of level 2 is acknowledged, one of level 3 confirmed, one of level 4 confirmed twice. What would be of level 5
is refused: an arbiter leaves the regulations first, which is final.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.selectors.competitions import check_running, find_competition
from league.apps.competitions.services.log_rows import append_change
from league.core.errors import MAX_MESSAGES, MAX_PROBLEMS, Conflict, Problem, Refused, describe_more_problems
from league.core.locking import locked
from league.core.reasons import require_reason
from league.models import Game, League

ACKNOWLEDGED, CONFIRMED, CONFIRMED_TWICE = 2, 3, 4
#: Codes of confirmed warnings, one of level 4 twice.
Confirmed = Sequence[str]
#: The most warnings that a request confirms.
MAX_CONFIRMED = 20


@dataclass(frozen=True)
class RuleWarning:
    """What the regulations warn of before it is done; ``pointer``: to the member that it is about."""

    code: str
    level: int
    sentence: Any
    pointer: str = "/confirm"
    consequences: tuple[str, ...] = ()

    def is_confirmed(self, confirmed: Confirmed) -> bool:
        """Return whether it was confirmed as often as its level asks."""
        return Counter(confirmed)[self.code] >= (2 if self.level == CONFIRMED_TWICE else 1)


class ConfirmationNeeded(Conflict):
    """Warnings that are not confirmed yet; nothing was written. ``effect``: what follows if they are confirmed."""

    effect: Any = ""

    def __init__(self, warnings: Sequence[RuleWarning], confirmed: Confirmed = ()) -> None:
        problems = [Problem(one.pointer, one.code, str(one.sentence)) for one in warnings]
        shown, more = warnings[:MAX_MESSAGES], describe_more_problems(len(warnings) - MAX_MESSAGES)
        sentences = [str(sentence) for one in shown for sentence in (one.sentence, *one.consequences)]
        texts = filter(None, [*sentences, more.strip(), str(self.effect), _("Confirm to go on.")])
        super().__init__(" ".join(texts), problems[:MAX_PROBLEMS], {"level": max(one.level for one in warnings)})
        self.warnings, self.confirmed = tuple(warnings), tuple(confirmed)

    def describe_action(self) -> str:
        """Return what is done once it is confirmed, "" if the page before says it."""
        return ""


def refuse_unconfirmed(competition: Competition, warnings: Iterable[RuleWarning], confirmed: Confirmed) -> None:
    """Raise ConfirmationNeeded if a competition is held to the regulations, and a warning is not confirmed."""
    missing = [one for one in warnings if not one.is_confirmed(confirmed)] if competition.regulations else []
    if missing:
        raise ConfirmationNeeded(missing, confirmed)


def describe_leaving() -> str:
    """Return the advice of what is refused while the regulations are in force."""
    return _("The regulations can be left in the settings; that is final.")


def find_last_fixed_round(competition: Competition) -> int:
    """Return the last round whose results are fixed: the second before the last one that has results, 0 if none is.

    In a round robin nothing was paired from a result, so none is fixed.
    """
    if not competition.regulations or competition.format != "swiss":
        return 0
    counting = Game.objects.counting().filter(league=competition.league_id).values("order_key")
    played = competition.fixtures.filter(game__order_key__in=counting)
    last: int = played.aggregate(last=Max("round__number"))["last"] or 0
    return max(last - 2, 0)


def describe_fixed_results(number: int) -> str:
    """Return the sentence that says why the results of a round are no longer corrected."""
    return _(
        "By the regulations the results of round {round} are fixed: only those of the last played round and of "
        "the one before it are corrected."
    ).format(round=number)


def find_fixed_results(fixtures: Iterable[Fixture]) -> Iterator[tuple[Fixture, str]]:
    """Yield those of fixtures, given with their competitions, whose results the regulations fix, and the sentence."""
    fixed: dict[int, int] = {}
    for fixture in fixtures:
        competition = fixture.competition
        if competition.pk not in fixed:
            fixed[competition.pk] = find_last_fixed_round(competition)
        if fixture.round is not None and fixture.round.number <= fixed[competition.pk]:
            yield fixture, describe_fixed_results(fixture.round.number)


def refuse_fixed_results(fixtures: Iterable[Fixture]) -> None:
    """Raise Refused if the regulations fix the results of one of these fixtures, given with their competitions."""
    for _fixture, fixed in find_fixed_results(fixtures):
        other = _("Give another result for the report alone, on the page of the game.")
        raise Refused.of([Problem("/results", "fixed_result", f"{fixed} {other} {describe_leaving()}")])


def list_leaving_warnings(last_round: int) -> list[RuleWarning]:
    """Return the warning before the regulations are left after a round."""
    consequences = (
        _("The competition can never come back under the regulations."),
        _(
            "Each of its pages says that they were left, and the tournament report has a line with round {round}."
        ).format(round=last_round),
        _("A federation may refuse to rate the tournament."),
    )
    sentence = _("The regulations are left for the rest of the competition.")
    return [RuleWarning("leaves_regulations", CONFIRMED_TWICE, sentence, consequences=consequences)]


@locked
def leave_regulations(
    league: League, now: datetime, slug: str, *, by: str, reason: str, confirmed: Confirmed = ()
) -> Competition:
    """Leave the regulations in a running competition, for good.

    Raises Conflict if it is not held to them or not running, Invalid without a reason, and ConfirmationNeeded.
    """
    competition = find_competition(league, slug, for_organisers=True)
    reason = require_reason(reason, _("Give a reason; the changes by hand show it."))
    if not competition.regulations:
        raise Conflict(_("The competition is not held to the regulations."))
    check_running(competition)
    last: int = competition.round_rows.aggregate(last=Max("number"))["last"] or 0
    refuse_unconfirmed(competition, list_leaving_warnings(last), confirmed)
    competition.regulations, competition.regulations_left = False, last
    competition.save(update_fields=["regulations", "regulations_left"])
    append_change(league, now, by, ChangeKind.COMPETITION_CHANGED, competition, settings=True, reason=reason)
    return competition
