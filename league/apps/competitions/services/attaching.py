"""Attaches recorded games to the fixtures that they are for: see ``league.core.games.services.attaching``."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import QuerySet
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.records import FIXTURE_LOG
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.game_points import are_awarded, explain_impossible, have_points_as_scores
from league.apps.competitions.selectors.playable_fixtures import (
    PlayableFixture,
    find_playable_fixture,
    load_open_fixtures,
)
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.regulations import (
    CONFIRMED,
    Confirmed,
    RuleWarning,
    find_fixed_results,
    refuse_fixed_results,
    refuse_unconfirmed,
)
from league.core.errors import Conflict, NotFound, Problem, Refused
from league.core.games.services.attaching import Attachment
from league.core.games.services.game_input import NO_FIXTURE, NewGame, NewResult, share_side_results
from league.core.rules.selectors.rules import load_system_in_force
from league.core.text.names import join_partners
from league.models import Game, League, Player

#: The kinds of games that are results of a fixture.
RESULTS = (Game.Kind.PLAYED, Game.Kind.FRIENDLY, Game.Kind.FORFEIT)


class FixtureAttacher:
    """Finds fixtures by the players of games."""

    def __init__(self, league: League, now: datetime, by: str, *, many: bool = False) -> None:
        self.league, self.now, self.by = league, now, by
        self.by_people: dict[frozenset[int], list[PlayableFixture]] | None = None
        """All open fixtures by their players, read once for many games."""
        if many:
            self.by_people = _group_by_people(load_open_fixtures(league)) if league.attaches_games else {}
        self.taken: set[int] = set()
        self.confirmed: Confirmed = ()
        self.is_agreed = False
        """Whether the results were entered twice where that is wanted."""
        self.reasons: dict[int, str] = {}
        """Fixture -> the reason of its forfeit, if it was given."""

    def find(self, new: NewGame, players: Sequence[Player]) -> Attachment | None:
        """Return the fixture of a game: the one that it names, else the first open one of exactly its players."""
        fixture = self._find_named(new, players) if new.fixture is not None else self._find_open(new, players)
        if fixture is None or (new.lacks_result and new.fixture is None and new.kind == Game.Kind.FRIENDLY):
            # A friendly without a result is none of a fixture that it does not name.
            return None
        _refuse_missing_result(new)
        competition = fixture.row.competition
        if not self.is_agreed:
            refuse_single_entry(fixture)
        if fixture.row.adjourned:
            refuse_unconfirmed(competition, list_adjourned_warnings(fixture, new), self.confirmed)
        unrated = new.kind == Game.Kind.PLAYED and (
            not competition.rated or self._judge_scores(_list_unusual_scores(new.results), competition.players_of_seat)
        )
        return Attachment(fixture.row.number, Game.Kind.FRIENDLY.value if unrated else new.kind)

    def find_for_correction(self, old: Game, new: NewGame, players: Sequence[Player]) -> Attachment | None:
        """Return the fixture of what replaces a game that is for none; raises Conflict if it is for another."""
        found = Fixture.objects.filter(league=self.league, game__order_key=old.order_key).order_by("number")
        number = found.values_list("number", flat=True).first()
        if number is not None:
            _refuse_missing_result(new)
        elif new.fixture == NO_FIXTURE:
            return None
        if number is None:
            found_now = self._find_open(new, players) if new.fixture is None else None
            # A game that was recorded at once does not become a result that is entered twice.
            return None if found_now is not None and is_entered_twice(found_now) else self.find(new, players)
        if new.fixture not in (None, number):
            template = _("Game {game} is the result of fixture {number}. Void it, and record another for {other}.")
            message = template.format(game=old.number, number=number, other=new.fixture)
            raise Conflict.of([Problem("/fixture", "other_fixture", message)])
        return None

    def _find_named(self, new: NewGame, players: Sequence[Player]) -> PlayableFixture:
        assert new.fixture is not None
        try:
            fixture = find_playable_fixture(self.league, new.fixture)
        except NotFound as error:
            raise Refused.of([Problem("/fixture", "unknown_fixture", error.detail)]) from error
        if new.fixture in self.taken:
            message = _("Fixture {number} already has a result: another game of this request.")
            raise Conflict.of([Problem("/fixture", "played", message.format(number=new.fixture))])
        refuse_unplayable(fixture, self.now)
        if new.kind not in RESULTS:
            message = _("A bye is no result of a fixture.")
            raise Refused.of([Problem("/kind", "bye", message)])
        _refuse_other_players(fixture, players)
        if not _has_same_sides(fixture, new.results, players):
            message = _("The sides of the game are not those of fixture {number}.").format(number=new.fixture)
            raise Refused.of([Problem("/results", "other_sides", message)])
        return fixture

    def _find_open(self, new: NewGame, players: Sequence[Player]) -> PlayableFixture | None:
        people = frozenset(player.pk for player in players)
        if new.kind not in RESULTS or len(people) < len(players):
            return None
        by_people = self.by_people
        if by_people is None:
            by_people = _group_by_people(load_open_fixtures(self.league, people))
        return next(
            (
                fixture
                for fixture in by_people.get(people, ())
                if fixture.row.number not in self.taken
                and not fixture.row.is_decided(self.now)
                and (new.kind != Game.Kind.FRIENDLY or not fixture.row.competition.rated)
                and _has_same_sides(fixture, new.results, players)
            ),
            None,
        )

    def refuse_fixed(self, games: Sequence[Game]) -> None:
        """Raise Refused if a game is the result of a round whose results the regulations fix."""
        refuse_fixed_results(self._find_regulated(games))

    def describe_fixed(self, games: Sequence[Game]) -> dict[int, str]:
        """Return order key -> why the result of a game is fixed, for those whose result is."""
        found = find_fixed_results(self._find_regulated(games).select_related("game"))
        return {fixture.game.order_key: sentence for fixture, sentence in found if fixture.game is not None}

    def _find_regulated(self, games: Sequence[Game]) -> QuerySet[Fixture]:
        """Return the fixtures of games in competitions that are held to the regulations."""
        keys = [game.order_key for game in games]
        found = Fixture.objects.filter(league=self.league, game__order_key__in=keys, competition__regulations=True)
        return found.select_related("competition", "round").order_by("number")

    def attach(self, attached: Mapping[int, Attachment]) -> None:
        """Attach recorded games (number -> fixture), with one entry of the log for each."""
        games = {game.number: game for game in self.league.games.filter(number__in=attached)}
        numbers = {attachment.number: number for number, attachment in attached.items()}
        found = Fixture.objects.filter(league=self.league, number__in=numbers).select_related("competition", "round")
        fixtures = list(found.order_by("number"))
        for fixture in fixtures:
            fixture.game = games[numbers[fixture.number]]
            forfeited = fixture.game.kind == Game.Kind.FORFEIT
            fixture.forfeit = self.reasons.get(fixture.number, Fixture.Reason.OTHER.value) if forfeited else ""
            fixture.entered = []
        Fixture.objects.bulk_update(fixtures, ["game", "forfeit", "entered"])
        rows = {row["fixture"]: row for row in FIXTURE_LOG.build_payloads(fixtures)}
        for fixture in fixtures:
            kind = ChangeKind.FIXTURE_FORFEITED if fixture.forfeit else ChangeKind.FIXTURE_PLAYED
            append_change(
                self.league,
                self.now,
                self.by,
                kind,
                fixture.competition,
                fixtures=[rows[fixture.number]],
                members={"game": numbers[fixture.number]},
            )

    def is_unrated(self, game: Game, new: NewGame) -> bool:
        """Return whether what is sent for a game is the result of a fixture, and is not rated."""
        scores = _list_unusual_scores(new.results)
        if game.kind == Game.Kind.PLAYED and not scores:
            return False
        found = Fixture.objects.filter(league=self.league, game__order_key=game.order_key)
        competition = Competition.objects.filter(league=self.league, fixtures__in=found).first()
        return competition is not None and (
            not competition.rated or self._judge_scores(scores, competition.players_of_seat)
        )

    def _judge_scores(self, scores: Sequence[float | None], sides_of: int) -> bool:
        """Return whether only an arbiter gives these scores; raises Refused if no game has them."""
        if not scores:
            return False
        why = explain_impossible(scores, self.league)
        if why:
            raise Refused.of([Problem("/results", "impossible_points", why)])
        as_points = have_points_as_scores(self.league, load_system_in_force(self.league), sides_of)
        return are_awarded(scores, as_points=as_points)


def _group_by_people(fixtures: Iterable[PlayableFixture]) -> dict[frozenset[int], list[PlayableFixture]]:
    grouped: defaultdict[frozenset[int], list[PlayableFixture]] = defaultdict(list)
    for fixture in fixtures:
        grouped[frozenset(fixture.people)].append(fixture)
    return grouped


def refuse_unplayable(fixture: PlayableFixture, now: datetime) -> None:
    """Raise Conflict if a fixture has a result, and Refused if it can have none."""
    row, number = fixture.row, fixture.row.number
    if fixture.is_bye():
        raise Refused.of([Problem("/fixture", "bye", _("Fixture {number} is a bye.").format(number=number))])
    if fixture.game is not None:
        template = _("Fixture {number} already has a result: game {game}. Correct that game instead.")
        message = template.format(number=number, game=fixture.game.number)
        raise Conflict(message, [Problem("/fixture", "played", message)], {"game": fixture.game.number})
    if row.kind == Fixture.Kind.MATCH:
        message = _("Fixture {number} is a match of teams: enter its line-ups, then the result of each board.")
        raise Refused.of([Problem("/fixture", "match", message.format(number=number))])
    if not all(fixture.players):
        message = _("Board {board} of match {match} lacks a player: enter the line-ups first.")
        raise Refused.of([Problem("/fixture", "line_up", message.format(board=row.board, match=row.match))])
    if row.cancelled_at is not None:
        message = _("Fixture {number} was cancelled.").format(number=number)
        raise Refused.of([Problem("/fixture", "cancelled", message)])
    if row.competition.status != Competition.Status.RUNNING:
        message = _("The competition {competition} is not running.").format(competition=row.competition.title)
        raise Refused.of([Problem("/fixture", "not_running", message)])
    if row.round is not None and row.round.published_at is None:
        message = _("Round {round} is not published: publish it first.").format(round=row.round.number)
        raise Refused.of([Problem("/fixture", "not_published", message)])
    if row.is_decided(now):
        assert row.deadline is not None
        template = _("The deadline of fixture {number} was {time}: move the deadline first.")
        time = date_format(row.deadline.astimezone(get_zone(row.competition)), "DATETIME_FORMAT")
        message = template.format(number=number, time=time)
        raise Refused.of([Problem("/fixture", "deadline", message)])


def is_entered_twice(fixture: PlayableFixture) -> bool:
    """Return whether the result of a fixture counts only when two entries say the same."""
    return fixture.row.competition.result_entries != Competition.ResultEntries.ONCE


def refuse_single_entry(fixture: PlayableFixture) -> None:
    """Raise Refused if the result of a fixture is to be entered twice, for a game that is recorded at once."""
    if is_entered_twice(fixture):
        template = _(
            "The result of fixture {number} is entered twice: enter it at the fixture, on the page of the round."
        )
        message = template.format(number=fixture.row.number)
        raise Refused.of([Problem("/fixture", "second_entry", message)])


def _refuse_missing_result(new: NewGame) -> None:
    """Raise Refused if a game lacks the result that a fixture needs."""
    if new.lacks_result:
        message = _("The result is missing: enter the scores or the places.")
        raise Refused.of([Problem("/results", "result_missing", message)])


def _refuse_other_players(fixture: PlayableFixture, players: Sequence[Player]) -> None:
    """Raise Refused naming each player who is not in a fixture, and those who are missing."""
    problems = []
    for seat, player in enumerate(players):
        if player.pk not in fixture.people:
            template = _("Seat {seat}: {player} is not in fixture {number}.")
            message = template.format(seat=seat + 1, player=player.name, number=fixture.row.number)
            problems.append(Problem(f"/results/{seat}/player", "other_player", message))
    present = {player.pk for player in players}
    missing = [player.name for side in fixture.players for player in side if player.pk not in present]
    if missing and not problems:
        template = _("The game lacks {players} of fixture {number}.")
        message = template.format(players=", ".join(missing), number=fixture.row.number)
        problems.append(Problem("/results", "missing_player", message))
    if problems:
        raise Refused.of(problems)


def list_adjourned_warnings(fixture: PlayableFixture, new: NewGame) -> list[RuleWarning]:
    """Return the warning before an adjourned game, which was a draw for the pairing, gets another result."""
    lines = share_side_results(new.results)
    if len({(line.score, line.place) for line in lines}) == 1:
        return []
    template = _("{entries} was adjourned, and later rounds were paired as if it were a draw. It is none.")
    names = " – ".join(join_partners([one.name for one in side]) for side in fixture.players)
    return [RuleWarning("no_draw", CONFIRMED, template.format(entries=names))]


def _list_unusual_scores(results: Sequence[NewResult]) -> list[float | None]:
    """Return the scores of two sides if they are 0, ½ or 1 and not the usual result of a game, otherwise none."""
    lines = share_side_results(results)
    scores = list({line.side or -seat: line.score for seat, line in enumerate(lines, start=1)}.values())
    points = [score for score in scores if score in (0, 0.5, 1)]
    usual = len(scores) != 2 or len(points) != 2 or sum(score or 0 for score in points) == 1
    return [] if usual or any(line.place is not None for line in lines) else scores


def _has_same_sides(fixture: PlayableFixture, results: Sequence[NewResult], players: Sequence[Player]) -> bool:
    """Return whether the players of each entry, if it has several, are the partners of a side."""
    if all(len(side) == 1 for side in fixture.players):
        return True
    sides: defaultdict[int, set[int | None]] = defaultdict(set)
    for line, player in zip(results, players, strict=True):
        sides[fixture.people[player.pk]].add(line.side)
    single = [next(iter(side)) for side in sides.values() if len(side) == 1]
    return len(single) == len(sides) == len(set(single) - {None})
