"""The one next step of a competition."""

from collections.abc import Sequence
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.apps.competitions.models import MEETINGS, Competition
from league.apps.competitions.organiser.fixture_rows import find_level_matches
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, build_format


class NextStep(NamedTuple):
    """What an arbiter does next: the name of an action, its label, or the address of a page, and why it is next.

    ``number``: the round that the action is about. ``early``: the label with which it is paired already, if the arbiter
    confirms that results are missing.
    """

    action: str
    label: str
    sentence: str
    number: int = 0
    address: str = ""
    early: str = ""


def find_next_step(loaded: LoadedCompetition) -> NextStep:
    """Return the next step."""
    status = Competition.Status
    if loaded.competition.status in (status.DRAFT, status.OPEN):
        return _find_first_step(loaded)
    if loaded.competition.status != status.RUNNING:
        return NextStep("", "", str(status(loaded.competition.status).label))
    return _find_step_in_play(loaded)


def _find_step_in_play(loaded: LoadedCompetition) -> NextStep:
    last = max(loaded.rounds, default=0)
    if last and loaded.rounds[last].published_at is None:
        return NextStep(
            "publish",
            _("Publish round {number}").format(number=last),
            _("Round {number} is a proposal: only arbiters see it.").format(number=last),
            last,
        )
    open_fixtures = list_open_fixtures(loaded)
    adjourned = [state for state in open_fixtures if state.adjourned]
    # The next round is paired while games are adjourned; without one, they end first.
    if len(open_fixtures) > len(adjourned) or (adjourned and not may_pair_next(loaded)):
        step = NextStep("", "", _count_missing(len(open_fixtures)))
        return step._replace(number=last + 1, early=_label_pairing(last + 1)) if _may_pair_early(loaded) else step
    if loaded.competition.format == "free" and not loaded.fixtures:
        address = reverse("desk:new_fixture", args=[loaded.competition.league.slug, loaded.competition.slug])
        return NextStep("", _("Add a fixture"), _("There are no fixtures yet."), address=address)
    level = find_level_matches(loaded, loaded.list_fixtures(last)) if last else set()
    if level:
        count = len(level)
        sentence = ngettext(
            "{count} match is level: add another game.", "{count} matches are level: add another game.", count
        )
        return NextStep("", "", sentence.format(count=count))
    if may_pair_next(loaded):
        sentence = _say_complete(last) if last else _("It has started.")
        if count := len(adjourned):
            sentence = ngettext(
                "{count} game is adjourned, and a draw for the pairing.",
                "{count} games are adjourned, and draws for the pairing.",
                count,
            ).format(count=count)
        return NextStep("pair", _label_pairing(last + 1), sentence, last + 1)
    sentence = _("All results are in. Finishing publishes the final standings.")
    return NextStep("finish", pgettext("a competition", "Finish"), sentence)


def describe_shown_round(loaded: LoadedCompetition, number: int | None, step: NextStep) -> str:
    """Return what a round lacks, which need not be the one that the next step is about."""
    open_fixtures = list_open_fixtures(loaded)
    if loaded.competition.status != Competition.Status.RUNNING:
        return step.sentence
    if here := sum(state.round == number for state in open_fixtures):
        return _count_missing(here)
    if number and (open_fixtures or number != max(loaded.rounds)):
        return _say_complete(number)
    return step.sentence


def _count_missing(count: int) -> str:
    return ngettext("{count} result is missing.", "{count} results are missing.", count).format(count=count)


def _say_complete(number: int) -> str:
    return _("All results of round {number} are in.").format(number=number)


def may_pair_next(loaded: LoadedCompetition) -> bool:
    """Return whether another round can follow."""
    if loaded.competition.format == "free":
        return False
    return not loaded.planned_rounds or max(loaded.rounds, default=0) < loaded.planned_rounds


def _label_pairing(number: int) -> str:
    return _("Pair round {number}").format(number=number)


def _may_pair_early(loaded: LoadedCompetition) -> bool:
    """Return whether the next round can be paired while results are missing: once the last one has some."""
    if loaded.data.predetermined or loaded.competition.format in BRACKET_FORMATS or not may_pair_next(loaded):
        return False
    return any(state.status in ("played", "forfeited") for state in loaded.list_fixtures(max(loaded.rounds, default=0)))


def list_open_fixtures(loaded: LoadedCompetition) -> list[FixtureState]:
    """Return the fixtures of published rounds that have no result."""
    return [
        state
        for state in loaded.fixtures
        if state.kind in MEETINGS and state.status == "planned" and loaded.is_published(state)
    ]


def list_undecided_fixtures(loaded: LoadedCompetition) -> list[FixtureState]:
    """Return the overdue fixtures about which the organiser decides."""
    if loaded.competition.deadline_action != Competition.DeadlineAction.ASK:
        return []
    return [state for state in list_open_fixtures(loaded) if state.is_overdue]


def find_current_round(loaded: LoadedCompetition) -> int | None:
    """Return the round in play: the proposal, else the first with an open fixture, else the last one.

    An adjourned game holds back no round, until there is none to come.
    """
    last = max(loaded.rounds, default=None)
    if last is None or loaded.rounds[last].published_at is None:
        return last
    open_fixtures = [state for state in list_open_fixtures(loaded) if state.round is not None]
    in_play = [state.round for state in open_fixtures if not state.adjourned]
    if not in_play and not may_pair_next(loaded):
        in_play = [state.round for state in open_fixtures]
    return min(filter(None, in_play), default=last)


def list_shown_fixtures(loaded: LoadedCompetition, number: int | None) -> Sequence[FixtureState]:
    """Return the fixtures of a round, or those without a round."""
    return [state for state in loaded.fixtures if state.round == number]


def _find_first_step(loaded: LoadedCompetition) -> NextStep:
    competition, count = loaded.competition, len(loaded.entries)
    reason = build_format(competition).check_size(count)
    if reason:
        address = reverse("desk:entries", args=[competition.league.slug, competition.slug])
        return NextStep("", _("Add entries"), reason, address=address)
    sentence = ngettext("{count} entry.", "{count} entries.", count).format(count=count)
    return NextStep("start", pgettext("a competition", "Start"), sentence)
