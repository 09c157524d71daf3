"""Warnings before who meets whom is changed by hand: what the regulations say of it."""

from collections.abc import Collection, Iterable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS
from league.apps.competitions.selectors.pairing_checks import Breach, describe_breaches
from league.apps.competitions.selectors.round_robin_checks import find_table_breaches
from league.apps.competitions.services.regulations import (
    ACKNOWLEDGED,
    CONFIRMED,
    ConfirmationNeeded,
    Confirmed,
    RuleWarning,
    refuse_unconfirmed,
)
from league.core.errors import Problem, Refused

#: What a pairing breaks -> the level of its warning.
LEVELS = {
    "forbidden_pair": CONFIRMED, "rematch": CONFIRMED, "second_bye": CONFIRMED, "third_colour": CONFIRMED,
    "colour_difference": CONFIRMED, "no_meeting": CONFIRMED, "both_colours": ACKNOWLEDGED,
}  # fmt: skip


def list_breaches_of(loaded: LoadedCompetition, rounds: Iterable[int]) -> list[Breach]:
    """Return what the fixtures of some rounds break, of what the regulations warn of."""
    in_rounds = [
        breach
        for number in sorted(set(rounds) & loaded.rounds.keys())
        for breach in describe_breaches(loaded, number, for_organisers=True)
        if breach.code
    ]
    return [*in_rounds, *find_table_breaches(loaded)]


def refuse_unconfirmed_pairings(
    before: Collection[Breach], loaded: LoadedCompetition, rounds: Collection[int], confirmed: Confirmed
) -> None:
    """Raise ConfirmationNeeded if pairings by hand break what they did not before, or are of a published round.

    ``before``: what the rounds broke; ``loaded``: the competition with the change.
    """
    known = {breach.sentence for breach in before}
    warnings = [
        RuleWarning(breach.code, LEVELS[breach.code], breach.sentence)
        for breach in list_breaches_of(loaded, rounds)
        if breach.sentence not in known
    ]
    for number in sorted(rounds):
        if number in loaded.rounds and loaded.rounds[number].published_at is not None:
            template = _("Round {round} is published, and its pairing follows from the rules. It is changed by hand.")
            warnings.append(RuleWarning("published_round", CONFIRMED, template.format(round=number)))
    refuse_unconfirmed(loaded.competition, warnings, confirmed)


class ResultsMissing(Refused, ConfirmationNeeded):
    """Results are missing before the next round, which is paired without them only if that is confirmed."""

    effect = gettext_lazy(
        "The round can be paired without them: they are then adjourned, and draws for the pairing alone."
    )

    def __init__(self, warnings: Sequence[RuleWarning], confirmed: Confirmed, number: int) -> None:
        super().__init__(warnings, confirmed)
        self.number = number

    def describe_action(self) -> str:
        """Return what is done once it is confirmed."""
        count = len(self.warnings)
        template = ngettext(
            "Pair round {number} without {count} result", "Pair round {number} without {count} results", count
        )
        return template.format(number=self.number, count=count)


def refuse_missing_results(loaded: LoadedCompetition, missing: Sequence[FixtureState], confirmed: Confirmed) -> None:
    """Raise ResultsMissing if the next round is paired while results are missing, and that is not confirmed.

    Raises Refused in a bracket, whose next round needs each winner.
    """
    template = _("Round {round}: {entries} have no result yet.")
    warnings = [
        RuleWarning(
            "no_result",
            ACKNOWLEDGED,
            template.format(round=fixture.round, entries=loaded.join_names(fixture.entries)),
            pointer=f"/fixtures/{fixture.number}",
        )
        for fixture in missing
    ]
    if warnings and loaded.competition.format in BRACKET_FORMATS:
        raise Refused.of([Problem(one.pointer, one.code, one.sentence) for one in warnings])
    if not all(one.is_confirmed(confirmed) for one in warnings):
        raise ResultsMissing(warnings, confirmed, max(loaded.rounds, default=0) + 1)


def list_older_adjournments(loaded: LoadedCompetition, number: int) -> list[RuleWarning]:
    """Return the warning of games that are still adjourned from before the last round; ``number``: of the next one."""
    template = _("{entries} of round {round} is still adjourned, and counts as a draw for this pairing, too.")
    return [
        RuleWarning(
            "older_adjourned",
            ACKNOWLEDGED,
            template.format(entries=loaded.join_names(fixture.entries), round=fixture.round),
        )
        for fixture in loaded.fixtures
        if fixture.round is not None and fixture.round < number - 1 and fixture.data.adjourned
    ]
