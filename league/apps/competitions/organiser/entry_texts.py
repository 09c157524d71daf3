"""What the pages of entries say of one: since when it plays, and what follows if it withdraws."""

from collections import defaultdict
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.models import MEETINGS, Competition, Entry, Fixture
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.competitions import FORMATS_WITH_BYES


def group_fixtures(loaded: LoadedCompetition) -> dict[int, list[FixtureState]]:
    """Return entry -> its fixtures that are not cancelled."""
    found: defaultdict[int, list[FixtureState]] = defaultdict(list)
    for one in loaded.fixtures:
        if one.status != "cancelled":
            for number in one.entries:
                found[number].append(one)
    return found


def count_forfeits(loaded: LoadedCompetition, fixtures: Sequence[FixtureState]) -> int:
    """Return how many of its fixtures an entry loses by withdrawing."""
    if loaded.competition.format in FORMATS_WITH_BYES:
        return 0
    return sum(one.status == "planned" for one in fixtures)


def describe_late_entry(loaded: LoadedCompetition, entry: Entry, fixtures: Sequence[FixtureState]) -> str:
    """Return from which round an entry plays that came after others were made, and what it has for those; else ""."""
    if loaded.competition.format not in FORMATS_WITH_BYES:
        return ""
    own = {one.round: one for one in fixtures if one.round is not None}
    earlier = [number for number, one in loaded.rounds.items() if one.made_at < entry.entered_at]
    missed = [number for number in earlier if number not in own or own[number].kind not in MEETINGS]
    if not missed:
        return ""
    sentences = [_("Late, from round {round}.").format(round=max(missed) + 1)]
    for number in missed:
        if number in own:
            kind = Fixture.Kind(own[number].kind).label
            sentences.append(_("Round {round}: {kind}.").format(round=number, kind=kind))
    if without := [str(number) for number in missed if number not in own]:
        template = ngettext("Round {rounds}: no points.", "Rounds {rounds}: no points.", len(without))
        sentences.append(template.format(rounds=", ".join(without)))
    return " ".join(sentences)


def describe_empty_boards(competition: Competition, entry: Entry) -> str:
    """Return how many boards of its matches a team can fill, unless it can fill all."""
    count, boards = len(entry.survivors), competition.sides_of
    if not competition.teams or count >= boards:
        return ""
    template = ngettext("{count} of {boards} boards can be filled.", "{count} of {boards} boards can be filled.", count)
    return template.format(count=count, boards=boards)


def describe_next_game(loaded: LoadedCompetition, number: int, fixtures: Sequence[FixtureState]) -> str:
    """Return the first open game of an entry with its round and opponents, or ""."""
    waiting = [one for one in fixtures if one.status == "planned"]
    if not waiting or len(waiting[0].entries) < 2:
        return ""
    first = waiting[0]
    names = ", ".join(loaded.name(other) for other in first.entries if other != number)
    if first.round is None:
        return _("Next game: {names}").format(names=names)
    return _("Next game, round {round}: {names}").format(round=first.round, names=names)


def describe_withdrawal(loaded: LoadedCompetition, fixtures: Sequence[FixtureState]) -> str:
    """Return what follows if an entry of a running competition with these fixtures withdraws."""
    if forfeits := count_forfeits(loaded, fixtures):
        template = ngettext(
            "The open fixture is lost by forfeit, at once.",
            "The {count} open fixtures are lost by forfeit, at once.",
            forfeits,
        )
        return template.format(count=forfeits)
    made = max(loaded.rounds, default=0)
    if made and loaded.rounds[made].published_at is None:
        # It is refused until then.
        return _("Round {number} is not published; publish it or undo it first.").format(number=made)
    sentence = _("There are no further pairings. Games that were played count.")
    waiting = [one.round for one in fixtures if one.round is not None and one.status == "planned"]
    if not waiting:
        return sentence
    template = _("The game of round {round} stays open: enter the result or a forfeit.")
    return f"{sentence} {template.format(round=max(waiting))}"
