"""What a competition changes of FIDE's ratings, first ratings of unrated entries, and hints for norms."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from league.apps.competitions.models import Entry
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.exporting import list_unrated
from league.apps.competitions.selectors.monthly_reports import list_months
from league.apps.competitions.selectors.rating_order import FIDE, STANDARD, read_later_ratings, read_official_ratings
from league.core.game_words import may_have_chess
from league.core.players.listed_people import ListedPerson, SourcedRating, look_up_people
from league.models import ExternalId
from ratings.contract.result_table import ResultTable, RoundResult
from ratings.fide.initial_rating import SINCE, FirstRating, compute_initial_rating
from ratings.fide.rating_change import ChosenK, FideChange, FideGame, choose_k, compute_rating_change, limit_k
from ratings.fide.title_norms import (
    NormEvent,
    NormGame,
    NormHint,
    NormPlayer,
    NormRule,
    find_norm,
    is_open_event,
    list_counted_ratings,
    list_norms,
)

FORMATS = ("swiss", "round_robin")


@dataclass(frozen=True)
class FidePeriod:
    """The games of an entry in a rating period: with the same own rating, in a long competition of the same month.

    ``rounds``, ``opponents``: of the games. ``k``: its reason is ``listed`` if ``listed_in`` has it. ``month``: its
    first day; None: the competition is not long.
    """

    rating: int
    rounds: tuple[int, ...]
    opponents: tuple[int, ...]
    k: ChosenK
    listed_in: str
    change: FideChange
    month: date | None


@dataclass(frozen=True)
class FideElo:
    """FIDE's sums for an entry.

    ``rating``: FIDE's at the start, None if it is unrated; ``first`` then is of the games until it has one.
    ``games``: against rated opponents. ``norms``: hints, the highest title first.
    """

    rating: int | None
    games: int
    periods: tuple[FidePeriod, ...] = ()
    first: FirstRating | None = None
    norms: tuple[NormHint, ...] = ()

    @property
    def total(self) -> Fraction | None:
        """The change of the rating before rounding, None without a game that changes it."""
        return sum((one.change.total for one in self.periods), Fraction(0)) if self.periods else None


@dataclass(frozen=True)
class NormLine:
    """A game of a norm; ``counted``: the opponent's rating as it counts, None if the game is ignored."""

    round: int
    game: NormGame
    counted: int | None


@dataclass(frozen=True)
class FoundNorm:
    """How far games are a norm. ``is_open``: nothing is asked of federations."""

    rule: NormRule
    hint: NormHint
    lines: tuple[NormLine, ...]
    is_open: bool


def shows_fide_elo(loaded: LoadedCompetition) -> bool:
    """Return whether FIDE's sums mean something: chess of two, in a Swiss or round robin, with ratings of FIDE."""
    competition = loaded.competition
    if competition.format not in FORMATS or competition.sides_of > 1 or not may_have_chess(competition.league):
        return False
    return any(get_fide_rating(entry) is not None for entry in loaded.entries.values())


def get_fide_rating(entry: Entry, number: int = 0) -> int | None:
    """Return the rating of FIDE's list in a round (0: at the start), or that was typed; not that of another list."""
    later = [one for one in read_later_ratings(entry, number) if _is_fide(one.rating_from)]
    if later:
        return later[-1].rating or None
    if official := _find_official(entry):
        return official.rating or None
    # A rating of 0 is none.
    return (entry.rating or None) if _is_fide(entry.rating_from) else None


def _is_fide(rating_from: str) -> bool:
    """Return whether a rating is of FIDE's list, or was typed; that of the league is neither."""
    return not rating_from or rating_from.startswith(f"{FIDE} ")


def _find_official(entry: Entry) -> SourcedRating | None:
    """Return the first of an entry's official ratings that is FIDE's."""
    return next((one for one in read_official_ratings(entry) if one.rating_from.startswith(f"{FIDE} ")), None)


def build_fide_elo(loaded: LoadedCompetition, table: ResultTable, number: int) -> FideElo | None:
    """Return FIDE's sums for an entry; None if they mean nothing or it has no game that counts."""
    if not shows_fide_elo(loaded):
        return None
    entry, played = loaded.entries[number], _list_played(loaded, table, number)
    if not played:
        return None
    opponents = {one.round: get_fide_rating(loaded.entries[one.opponent], one.round) for one in played}
    rated = [_RatedGame(one, rating) for one in played if (rating := opponents[one.round])]
    person, kind = _find_person(entry), _find_kind(loaded)
    unrated = [one.game for one in rated if get_fide_rating(entry, one.result.round) is None]
    return FideElo(
        get_fide_rating(entry),
        len(rated),
        _build_periods(loaded, entry, rated, person, kind),
        compute_initial_rating(unrated) if unrated and _find_first_day(loaded) >= SINCE else None,
        _list_hints(_find_norms(loaded, entry, person, played, table)) if kind == STANDARD else (),
    )


class _RatedGame(NamedTuple):
    """A game against an opponent with a rating of FIDE."""

    result: RoundResult
    opponent_rating: int

    @property
    def game(self) -> FideGame:
        """The game as the sums need it."""
        return FideGame(self.opponent_rating, self.result.half_points)


def _build_periods(
    loaded: LoadedCompetition, entry: Entry, rated: Sequence[_RatedGame], person: ListedPerson | None, kind: str
) -> tuple[FidePeriod, ...]:
    """Return the rating periods of an entry; ``person``: its player in the list in use."""
    months = {number: month for month, rounds in list_months(loaded).items() for number in rounds}
    own = {one.result.round: get_fide_rating(entry, one.result.round) for one in rated}
    # The list of a month counts there while it is kept.
    people: dict[date | None, ListedPerson | None] = {None: person}
    people |= {month: _find_person(entry, month) or person for month in {*months.values()} if own}
    sizes = Counter(months.get(number) for number, rating in own.items() if rating)
    first_day, periods = _find_first_day(loaded), []
    for (month, rating), some in groupby(rated, lambda one: (months.get(one.result.round), own[one.result.round])):
        if rating is None:
            continue
        results, games = zip(*[(one.result, one.game) for one in some], strict=True)
        k, listed_in = _choose_k(rating, month or first_day, people[month], kind)
        limited = limit_k(k.k, sizes[month])
        change = compute_rating_change(rating, games, limited, first_day, is_standard=kind == STANDARD)
        rounds, opponents = (tuple(getattr(one, name) for one in results) for name in ("round", "opponent"))
        periods.append(FidePeriod(rating, rounds, opponents, k, listed_in, change, month))
    return tuple(periods)


def _list_played(loaded: LoadedCompetition, table: ResultTable, number: int) -> list[RoundResult]:
    """Return the games of an entry that are rated, in the order of rounds."""
    unrated = _list_unrated_fixtures(loaded)
    results = sorted(table.results[number], key=lambda result: result.round)
    return [result for result in results if result.played and id(result.fixture) not in unrated]


def _list_unrated_fixtures(loaded: LoadedCompetition) -> set[int]:
    """Return the identities of the games of two that are not rated."""
    unrated = list_unrated(loaded)
    return {id(one.data) for one in loaded.fixtures if (one.round or 0, one.entries[0]) in unrated}


def _find_person(entry: Entry, day: date | None = None) -> ListedPerson | None:
    """Return the player of an entry in FIDE's list of a day (None: in use), by the id."""
    number = _find_fide_id(entry)
    return next(iter(look_up_people(FIDE, [number], day).values()), None) if number else None


def _find_fide_id(entry: Entry) -> str:
    """Return FIDE's id of the player of an entry, "" without one."""
    players = [player.pk for player in entry.survivors]
    numbers = ExternalId.objects.filter(provider=FIDE, player__in=players).order_by("value")
    return numbers.values_list("value", flat=True).first() or ""


def _list_hints(found: Sequence[FoundNorm]) -> tuple[NormHint, ...]:
    """Return the hints that are worth telling."""
    return tuple(one.hint for one in found if one.hint.is_within_reach)


def _find_kind(loaded: LoadedCompetition) -> str:
    """Return the kind of ratings that most entries have; typed ones are standard."""
    kinds = Counter(
        (official.rating_from if (official := _find_official(entry)) else entry.rating_from).rpartition(", ")[2]
        or STANDARD
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
) -> list[FoundNorm]:
    """Return how far the games of an entry are each norm that it may still make, the highest title first."""
    event = _build_event(loaded, table)
    played = [one for one in played if not (event.is_predetermined and _is_unrated_without_points(loaded, table, one))]
    if not played:
        return []
    games = [_build_norm_game(loaded.entries[one.opponent], one.half_points) for one in played]
    was_unopposed = any(
        one.kind == "pairing_bye" or (one.kind == "forfeit" and one.half_points == 2)
        for one in table.results[entry.number]
    )
    is_woman = "w" in ((person.sex if person else ""), entry.about.get("sex")) or entry.title.startswith("W")
    found = []
    for rule in list_norms(entry.title, is_woman=is_woman):
        hint = find_norm(rule, entry.federation, games, event, was_unopposed=was_unopposed)
        ratings = list_counted_ratings(rule, games[: hint.games])
        lines = [
            NormLine(one.round, game, ratings[at] if at < hint.games else None)
            for at, (one, game) in enumerate(zip(played, games, strict=True))
        ]
        found.append(FoundNorm(rule, hint, tuple(lines), event.is_open))
    return found


def _build_event(loaded: LoadedCompetition, table: ResultTable) -> NormEvent:
    """Return what counts of a competition for norms."""
    competition = loaded.competition
    is_robin = competition.format == "round_robin"
    is_double = is_robin and competition.parameters.get("turns") == "double"
    players = [
        NormPlayer(get_fide_rating(entry) is not None, entry.title, entry.federation, _count_missed(table, number))
        for number, entry in loaded.entries.items()
    ]
    is_open = competition.format == "swiss" and is_open_event(competition.federation, players)
    return NormEvent(loaded.planned_rounds, is_robin, is_double, len(loaded.entries), is_open)


def _count_missed(table: ResultTable, number: int) -> int:
    """Return how many rounds an entry missed, without byes of the pairing and games won by forfeit."""
    return sum(
        not one.played and one.kind != "pairing_bye" and not (one.kind == "forfeit" and one.half_points == 2)
        for one in table.results[number]
    )


def _is_unrated_without_points(loaded: LoadedCompetition, table: ResultTable, result: RoundResult) -> bool:
    """Return whether the opponent is unrated and has no point against rated players: 1.4.2b counts no such game."""
    if get_fide_rating(loaded.entries[result.opponent]) is not None:
        return False
    return not any(
        one.played and one.half_points and get_fide_rating(loaded.entries[one.opponent]) is not None
        for one in table.results[result.opponent]
    )


@dataclass(frozen=True)
class NormSheet:
    """What is printed of the norms of an entry; ``person``: its player in FIDE's list."""

    entry: Entry
    fide_id: str
    person: ListedPerson | None
    norms: Sequence[FoundNorm]


def build_norm_sheet(loaded: LoadedCompetition, table: ResultTable, number: int) -> NormSheet | None:
    """Return how far the games of an entry are norms; None if they cannot be any."""
    if not shows_fide_elo(loaded) or _find_kind(loaded) != STANDARD:
        return None
    entry = loaded.entries[number]
    person, played = _find_person(entry), _list_played(loaded, table, number)
    norms = _find_norms(loaded, entry, person, played, table)
    return NormSheet(entry, _find_fide_id(entry), person, norms) if norms else None


def _build_norm_game(opponent: Entry, half_points: int) -> NormGame:
    return NormGame(opponent.number, get_fide_rating(opponent), opponent.title, opponent.federation, half_points)
