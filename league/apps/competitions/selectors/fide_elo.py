"""What a competition changes of FIDE's ratings, first ratings of unrated entries, and hints for norms."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from league.apps.competitions.models import RATING_OF_LEAGUE, Entry
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.exporting import list_unrated
from league.apps.competitions.selectors.game_points import may_have_chess
from league.core.players.listed_people import ListedPerson, look_up_people
from league.models import ExternalId
from ratings.contract.result_table import ResultTable, RoundResult
from ratings.fide.initial_rating import SINCE, FirstRating, compute_initial_rating
from ratings.fide.rating_change import ChosenK, FideChange, FideGame, choose_k, compute_rating_change
from ratings.fide.title_norms import NormEvent, NormGame, NormHint, find_norm, list_norms

FORMATS = ("swiss", "round_robin")
FIDE, STANDARD = "fide", "standard"


@dataclass(frozen=True)
class FideElo:
    """FIDE's sums for an entry.

    ``rating``: FIDE's, None if it is unrated. ``rounds``, ``opponents``: of the games of ``change`` or ``first``.
    ``k``: its reason is ``listed`` if ``listed_in`` has it. ``norms``: hints, the highest title first.
    """

    rating: int | None
    rounds: tuple[int, ...]
    opponents: tuple[int, ...]
    half_points: int
    k: ChosenK | None = None
    listed_in: str = ""
    change: FideChange | None = None
    first: FirstRating | None = None
    norms: tuple[NormHint, ...] = ()


def shows_fide_elo(loaded: LoadedCompetition) -> bool:
    """Return whether FIDE's sums mean something: chess of two, in a Swiss or round robin, with ratings of FIDE."""
    competition = loaded.competition
    if competition.format not in FORMATS or competition.sides_of > 1 or not may_have_chess(competition.league):
        return False
    return any(get_fide_rating(entry) is not None for entry in loaded.entries.values())


def get_fide_rating(entry: Entry) -> int | None:
    """Return the rating of FIDE's list, or that was typed; not the league's, and not that of another list."""
    source = entry.rating_from
    return entry.rating if source != RATING_OF_LEAGUE and (not source or source.startswith(f"{FIDE} ")) else None


def build_fide_elo(loaded: LoadedCompetition, table: ResultTable, number: int) -> FideElo | None:
    """Return FIDE's sums for an entry; None if they mean nothing or it has no game that counts."""
    if not shows_fide_elo(loaded):
        return None
    entry, unrated = loaded.entries[number], _list_unrated_fixtures(loaded)
    played = [
        result
        for result in sorted(table.results[number], key=lambda result: result.round)
        if result.played and id(result.fixture) not in unrated
    ]
    if not played:
        return None
    ratings = {opponent: get_fide_rating(loaded.entries[opponent]) for opponent in (one.opponent for one in played)}
    rated = [one for one in played if ratings[one.opponent] is not None]
    games = [FideGame(ratings[one.opponent] or 0, one.half_points) for one in rated]
    person = _find_person(entry)
    kind, day, rating = _find_kind(loaded), _find_first_day(loaded), get_fide_rating(entry)
    sums = FideElo(
        rating,
        tuple(one.round for one in rated),
        tuple(one.opponent for one in rated),
        sum(one.half_points for one in rated),
        norms=_find_norms(loaded, entry, person, played, table) if kind == STANDARD else (),
    )
    if rating is None:
        first = compute_initial_rating(games) if games and day >= SINCE else None
        return replace(sums, first=first)
    k, listed_in = _choose_k(rating, day, person, kind)
    change = compute_rating_change(rating, games, k.k, day, is_standard=kind == STANDARD) if games else None
    return replace(sums, k=k, listed_in=listed_in, change=change)


def _list_unrated_fixtures(loaded: LoadedCompetition) -> set[int]:
    """Return the identities of the games of two that are not rated."""
    unrated = list_unrated(loaded)
    return {id(one.data) for one in loaded.fixtures if (one.round or 0, one.entries[0]) in unrated}


def _find_person(entry: Entry) -> ListedPerson | None:
    """Return the player of an entry in FIDE's list, by the id."""
    players = [player.pk for player in entry.survivors]
    numbers = list(ExternalId.objects.filter(provider=FIDE, player__in=players).values_list("value", flat=True))
    return next(iter(look_up_people(FIDE, numbers).values()), None) if numbers else None


def _find_kind(loaded: LoadedCompetition) -> str:
    """Return the kind of ratings that most entries have; typed ones are standard."""
    kinds = Counter(
        entry.rating_from.rpartition(", ")[2] or STANDARD
        for entry in loaded.entries.values()
        if get_fide_rating(entry) is not None
    )
    return kinds.most_common(1)[0][0]


def _find_first_day(loaded: LoadedCompetition) -> date:
    """Return the day on which a competition starts, or its first game was played."""
    played = [fixture.game.played_at for fixture in loaded.fixtures if fixture.game is not None]
    starts = loaded.competition.starts_at or min(played, default=loaded.now)
    return starts.astimezone(get_zone(loaded.competition)).date()


def _choose_k(rating: int, day: date, person: ListedPerson | None, kind: str) -> tuple[ChosenK, str]:
    """Return K with the list that has it, else "" and the assumed K."""
    listed = person.ratings.get(kind) if person else None
    if person and listed and listed.k:
        return ChosenK(listed.k, "listed"), person.source
    return choose_k(rating, day, born=person.born if person else None), ""


def _find_norms(
    loaded: LoadedCompetition,
    entry: Entry,
    person: ListedPerson | None,
    played: Sequence[RoundResult],
    table: ResultTable,
) -> tuple[NormHint, ...]:
    """Return the hints for norms that are worth telling."""
    competition = loaded.competition
    is_robin = competition.format == "round_robin"
    is_double = is_robin and competition.parameters.get("turns") == "double"
    event = NormEvent(loaded.planned_rounds, is_robin, is_double, len(loaded.entries))
    games = [_build_norm_game(loaded.entries[one.opponent], one.half_points) for one in played]
    was_unopposed = any(
        one.kind == "pairing_bye" or (one.kind == "forfeit" and one.half_points == 2)
        for one in table.results[entry.number]
    )
    is_woman = (person is not None and person.sex == "w") or entry.title.startswith("W")
    hints = [
        find_norm(rule, entry.federation, games, event, was_unopposed=was_unopposed)
        for rule in list_norms(entry.title, is_woman=is_woman)
    ]
    return tuple(hint for hint in hints if hint.is_within_reach)


def _build_norm_game(opponent: Entry, half_points: int) -> NormGame:
    return NormGame(opponent.number, get_fide_rating(opponent), opponent.title, opponent.federation, half_points)
