"""Shapes of competitions in responses, and the functions that render them."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.apps.competitions.models import (
    HIDDEN,
    Competition,
    Entry,
    FinalStandings,
    Fixture,
    Round,
    Season,
    SeasonPart,
)
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, build_entry_name
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.pairing_input import list_reasons
from league.apps.competitions.selectors.round_notes import find_start_position
from league.apps.competitions.selectors.team_matches import find_member, sum_board_points
from league.apps.competitions.services.entry_checks import BYE_KINDS
from league.web.api.core.authentication import get_viewer
from league.web.api.core.schemas import Shape, render_fields
from ratings.contract.result_table import compute_fixture_points

ROUND_STATUSES = ("made", "published")
FIXTURE_STATUSES = ("planned", "played", "forfeited", "bye", "cancelled")


class FinalEditionShape(Shape):
    """An edition of the final standings."""

    number = s.IntegerField()
    published_at = s.DateTimeField()
    published_by = s.CharField()
    reason = s.CharField()
    sha256 = s.CharField(help_text="SHA-256 of the document, as `editions/{number}/` returns it.")
    url = s.URLField()


class SeasonPartShape(Shape):
    """What a competition is in its season."""

    slug = s.CharField(help_text="Of the season.")
    level = s.IntegerField(allow_null=True)
    letter = s.CharField()
    stage = s.CharField()
    event = s.IntegerField(allow_null=True)


class CompetitionShape(Shape):
    """A competition."""

    slug = s.CharField()
    title = s.CharField()
    league = s.CharField()
    description = s.CharField()
    format = s.CharField(help_text="A key of `GET pairing-formats/`.")
    parameters = s.DictField()
    sides_of = s.IntegerField(help_text="Players of an entry; of teams, boards of a match.")
    teams = s.DictField(help_text="Of teams: primary, win, draw, loss, bye; empty: the entries are no teams.")
    rounds = s.IntegerField(allow_null=True, help_text="Rounds in all; null: the format or the organiser decides.")
    starts = s.DateTimeField(source="starts_at", allow_null=True)
    ends = s.DateTimeField(source="ends_at", allow_null=True)
    time_zone = s.CharField()
    points = s.DictField(help_text="The points of each outcome.")
    tie_breaks = s.ListField(child=s.CharField(), help_text="Codes in order, as in `GET tie-breaks/`.")
    tie_break_rules = s.DictField()
    rated = s.BooleanField(help_text="Whether its games are rated.")
    status = s.ChoiceField(choices=Competition.Status.choices)
    max_entries = s.IntegerField(allow_null=True)
    seeding = s.ChoiceField(choices=Competition.Seeding.choices)
    players_enter = s.BooleanField(help_text="Whether players can enter by their links.")
    deadline_action = s.ChoiceField(choices=Competition.DeadlineAction.choices)
    result_entries = s.ChoiceField(
        choices=Competition.ResultEntries.choices, help_text="How often a result is entered before it counts."
    )
    venue = s.CharField()
    federation = s.CharField(help_text="Three letters, for a tournament report.")
    arbiter = s.CharField(help_text="The chief arbiter, for a tournament report.")
    time_control = s.CharField(help_text="In seconds, for a tournament report.")
    group = s.CharField(help_text="Deprecated: the title of its division; see `season`.")
    categories = s.ListField(child=s.DictField(), help_text="Of entries: key, title and conditions.")
    prizes = s.DictField(help_text="sharing, one_each, currency and list; empty without prizes.")
    regulations = s.BooleanField(help_text="Whether it is held to FIDE's regulations.")
    regulations_left = s.IntegerField(
        allow_null=True, help_text="The last round that was made when the regulations were left; null: they were not."
    )
    lots = s.BooleanField(help_text="Whether those whom no tie-break separates are ranked by lot.")
    rating_lists = s.ListField(
        child=s.CharField(), help_text="The lists from which ratings come, in order; empty: as proposed."
    )
    rating_choice = s.ChoiceField(
        choices=Competition.RatingChoice.choices, help_text="Which of the ratings in these lists an entry gets."
    )
    chess960 = s.BooleanField(help_text="Whether the games of each round begin from a position of Chess960.")
    rating_checks = s.BooleanField(help_text="Whether the desk says whose rating differs from the lists.")
    long = s.BooleanField(help_text="Whether it lasts more than 30 days: entries may have later ratings.")
    season = SeasonPartShape(allow_null=True, help_text="What it is in its season; null: it stands alone.")
    entries = s.IntegerField(
        source="entry_count", help_text="The number of entries, without the waiting list and withdrawn ones."
    )
    round = s.IntegerField(help_text="The last published round, 0 before the first.")
    created_at = s.DateTimeField()
    created_by = s.CharField()
    url = s.URLField()


class RequestedByeShape(Shape):
    """A requested bye."""

    round = s.IntegerField()
    kind = s.ChoiceField(choices=BYE_KINDS)


class ApartShape(Shape):
    """An entry that another must not meet in some rounds."""

    entry = s.IntegerField()
    rounds = s.ListField(child=s.IntegerField(), help_text="The first and the last one.")


class AddedPointsShape(Shape):
    """Points that an arbiter added or took."""

    round = s.IntegerField(help_text="They count after this round.")
    points = s.CharField(help_text="A number or a fraction such as -1 or 1/2.")
    reason = s.CharField()


class OfficialRatingShape(Shape):
    """A rating of a list, as it was taken."""

    rating = s.IntegerField()
    rating_from = s.CharField(help_text="The list, its day and the kind, such as fide 2026-11-01, rapid.")


class LaterRatingShape(OfficialRatingShape):
    """A rating that applies from a round on."""

    from_round = s.IntegerField()


class EntryShape(Shape):
    """A player or a side in a competition."""

    number = s.IntegerField(
        help_text="The key in addresses and fixtures: the pairing number at the start; before, the order of entering."
    )
    pairing_number = s.IntegerField(
        help_text="The number that it is shown with and paired by; late entries and exchanges move it."
    )
    player = s.CharField(allow_null=True, help_text="The handle of the player; null for a side.")
    players = s.ListField(child=s.CharField(), help_text="The handles of its players, in the order of the side.")
    name = s.CharField()
    seed = s.IntegerField(allow_null=True)
    rating = s.IntegerField(allow_null=True, help_text="As of the start, or brought along.")
    rating_from = s.CharField(
        help_text="The list that a rating is from; league: the league's at the start; empty: typed."
    )
    title = s.CharField()
    federation = s.CharField()
    status = s.ChoiceField(choices=Entry.Status.choices)
    withdrawn_after = s.IntegerField(allow_null=True, help_text="The last round that it played.")
    byes = RequestedByeShape(many=True)
    not_against = s.ListField(
        child=s.IntegerField(),
        allow_null=True,
        help_text="Numbers of entries that it must not meet; null: only arbiters see them.",
    )
    apart = ApartShape(
        many=True, allow_null=True, help_text="Whom it must not meet in some rounds; null: only arbiters see them."
    )
    virtual_points = s.ListField(
        child=s.CharField(), help_text="By round, as fractions: count for the pairing of that round alone."
    )
    added_points = AddedPointsShape(many=True, help_text="By an arbiter; negative: taken.")
    about = s.DictField(
        allow_null=True,
        help_text="For categories: sex (m, w), born (a year), club, own facts; null: arbiters only.",
    )
    no_byes = s.BooleanField(help_text="It may ask for no bye with points.")
    expelled = s.BooleanField(help_text="By the arbiter: it is left out of the ranks.")
    official_ratings = OfficialRatingShape(
        many=True, help_text="Of rating lists, as they were taken; `rating` may be another."
    )
    later_ratings = LaterRatingShape(many=True, help_text="Of a long competition, in the order of the rounds.")
    by_hand = s.CharField(help_text="A number that the arbiter typed, for the tie-break HAND; empty: none.")
    checked_in = s.BooleanField(source="is_present")
    entered_at = s.DateTimeField()
    url = s.URLField()


class FixtureResultShape(Shape):
    """The result of an entry in a fixture."""

    entry = s.IntegerField()
    points = s.FloatField(help_text="Points of the competition.")
    place = s.IntegerField(allow_null=True)
    score = s.FloatField(allow_null=True)


class BoardShape(Shape):
    """A board of a match of teams."""

    board = s.IntegerField()
    id = s.IntegerField(help_text="The number of its fixture, whose result is recorded like others.")
    entries = s.ListField(child=s.IntegerField(), help_text="The teams in seat order: the first has White.")
    members = s.ListField(
        child=s.IntegerField(allow_null=True),
        help_text="Places in the squads of who sits there, in seat order; 0: nobody, null: not known yet.",
    )
    players = s.ListField(child=s.CharField(allow_null=True), help_text="Their handles.")
    status = s.ChoiceField(choices=FIXTURE_STATUSES)
    game = s.IntegerField(allow_null=True)
    points = s.ListField(child=s.FloatField(), help_text="Board points in seat order; empty without a result.")


class EnteredShape(Shape):
    """A result that was entered and does not count yet: another one must say the same."""

    by = s.CharField()
    at = s.DateTimeField()
    external_id = s.CharField()
    results = s.ListField(child=s.DictField(), required=False, help_text="In seat order: score, place and so on.")
    details = s.DictField(required=False)
    weight = s.FloatField(required=False)
    forfeit = s.ListField(child=s.IntegerField(), required=False, help_text="The entries that lose.")


class FixtureShape(Shape):
    """Entries that meet, or the bye of one."""

    id = s.IntegerField(source="number", help_text="Its number in the league.")
    round = s.IntegerField(allow_null=True)
    table = s.IntegerField(allow_null=True)
    kind = s.ChoiceField(choices=Fixture.Kind.choices)
    entries = s.ListField(child=s.IntegerField(), help_text="Numbers of the entries in seat order.")
    names = s.ListField(child=s.CharField(), help_text="Their names.")
    players = s.ListField(child=s.ListField(child=s.CharField()), help_text="The handles of their players.")
    starts = s.DateTimeField(source="starts_at", allow_null=True)
    deadline = s.DateTimeField(allow_null=True)
    venue = s.CharField()
    status = s.ChoiceField(choices=FIXTURE_STATUSES)
    overdue = s.BooleanField(source="is_overdue", help_text="Whether its deadline passed without a game.")
    game = s.IntegerField(allow_null=True, help_text="The number of the game that counts.")
    reason = s.ChoiceField(choices=Fixture.Reason.choices, allow_null=True, help_text="Why it was forfeited.")
    adjourned = s.BooleanField(help_text="Whether it has begun and ends later: until then a draw for the pairing.")
    reported = s.CharField(help_text="Another result in the tournament report alone; empty: none.")
    results = FixtureResultShape(many=True, help_text="In seat order; empty if it has no result.")
    match = s.IntegerField(allow_null=True, help_text="The number of the match of teams that it is a board of.")
    board = s.IntegerField(allow_null=True)
    boards = BoardShape(many=True, help_text="Of a match of teams, once its line-ups are known.")
    entered = EnteredShape(many=True, help_text="Results that do not count yet, for recorders.")
    url = s.URLField()


class ReasonShape(Shape):
    """Why a rule forced something."""

    entries = s.ListField(child=s.IntegerField())
    text = s.CharField()


class StartPositionShape(Shape):
    """A position of Chess960."""

    number = s.IntegerField(help_text="From 0 to 959; 518 is that of classical chess.")
    pieces = s.CharField(help_text="White's pieces from a to h, such as RNBQKBNR.")


class RoundShape(Shape):
    """A round. Only arbiters see it until it is published."""

    number = s.IntegerField()
    status = s.ChoiceField(choices=ROUND_STATUSES)
    starts = s.DateTimeField(source="starts_at", allow_null=True)
    deadline = s.DateTimeField(allow_null=True)
    made_at = s.DateTimeField(allow_null=True)
    published_at = s.DateTimeField(allow_null=True)
    start_position = StartPositionShape(
        allow_null=True, help_text="Of Chess960, drawn by lot; null: the games begin as usual."
    )
    fixtures = FixtureShape(many=True)
    reasons = ReasonShape(many=True)
    url = s.URLField()


def build_url(request: Request, name: str, competition: Competition, *names: object) -> str:
    """Return the URL of a part of a competition."""
    return reverse(f"api:{name}", [competition.league.slug, competition.slug, *names], request=request)


def convert_number(value: Fraction | None) -> float | None:
    """Return a fraction as a JSON number."""
    return None if value is None else float(value)


def render_competition(request: Request, competition: Competition) -> dict[str, Any]:
    """Return a competition with the counts of ``count_parts``. Its season is told only to those who may see that."""
    part = next(iter(competition.season_parts.all()), None)
    if part is not None and part.season.status == Season.Status.DRAFT:
        part = part if get_viewer(request).may("arbitrate", competition.league) else None
    return render_fields(
        CompetitionShape,
        competition,
        league=competition.league.slug,
        time_zone=str(get_zone(competition)),
        round=competition.last_round or 0,  # type: ignore[attr-defined]  # of count_parts
        season=None if part is None else _render_part(part),
        url=build_url(request, "competition", competition),
    )


def _render_part(part: SeasonPart) -> dict[str, Any]:
    """Return what a competition is in its season."""
    return render_fields(SeasonPartShape, part, slug=part.season.slug)


def render_edition(request: Request, competition: Competition, edition: FinalStandings) -> dict[str, Any]:
    """Return an edition of the final standings."""
    url = build_url(request, "competition-edition", competition, edition.number)
    return render_fields(FinalEditionShape, edition, url=url)


def list_handles(entry: Entry) -> list[str]:
    """Return the handles of an entry's players."""
    return [player.handle for player in entry.survivors]


def render_entry(request: Request, competition: Competition, entry: Entry, *, for_organisers: bool) -> dict[str, Any]:
    """Return an entry; who it must not meet, and what is known of people, is for organisers only."""
    handles = list_handles(entry)
    hidden = {} if for_organisers else dict.fromkeys(HIDDEN)
    return render_fields(
        EntryShape,
        entry,
        player=handles[0] if competition.sides_of == 1 and handles else None,
        players=handles,
        name=build_entry_name(entry),
        url=build_url(request, "competition-entry", competition, entry.number),
        **hidden,
    )


class FixtureRenderer:
    """Renders the fixtures of a loaded competition."""

    def __init__(self, request: Request, loaded: LoadedCompetition) -> None:
        self.loaded = loaded
        self.names = {number: build_entry_name(entry) for number, entry in loaded.entries.items()}
        self.handles = {number: list_handles(entry) for number, entry in loaded.entries.items()}
        self.shows_entered = get_viewer(request).may("record", loaded.competition.league)
        self.base = build_url(request, "competition-fixture", loaded.competition, 0).removesuffix("0/")

    def render(self, fixture: FixtureState) -> dict[str, Any]:
        """Return a fixture."""
        decided = fixture.status in ("played", "forfeited", "bye")
        return render_fields(
            FixtureShape,
            fixture,
            entries=list(fixture.entries),
            names=[self.names[entry] for entry in fixture.entries],
            players=[self.handles[entry] for entry in fixture.entries],
            game=fixture.game and fixture.game.number,
            reason=fixture.forfeit or None,
            results=self.render_results(fixture) if decided else [],
            boards=[self.render_board(board) for board in fixture.boards],
            entered=[self.render_entered(one) for one in fixture.entered] if self.shows_entered else [],
            url=f"{self.base}{fixture.number}/",
        )

    def render_entered(self, one: Mapping[str, Any]) -> dict[str, Any]:
        """Return a result that does not count yet, without declared fields, which not everyone may read."""
        shown = {name: value for name, value in one.items() if name in EnteredShape._declared_fields}
        if "results" in shown:
            lines = shown["results"]
            shown["results"] = [{name: line[name] for name in line if name != "fields"} for line in lines]
        return shown

    def render_board(self, board: FixtureState) -> dict[str, Any]:
        """Return a board of a match of teams."""
        teams = self.loaded.data.teams
        points = {} if teams is None else sum_board_points(board, teams)
        players = [
            find_member(self.loaded.entries, team, member)
            for team, member in zip(board.entries, board.members, strict=True)
        ]
        return {
            "board": board.board,
            "id": board.number,
            "entries": list(board.entries),
            "members": list(board.members),
            "players": [player and player.handle for player in players],
            "status": board.status,
            "game": board.game and board.game.number,
            "points": [float(points[team]) for team in board.entries if team in points],
        }

    def render_results(self, fixture: FixtureState) -> list[dict[str, Any]]:
        """Return the results of a fixture's entries in seat order."""
        points = compute_fixture_points(self.loaded.data, fixture.data)
        return [
            {
                "entry": seat.entry,
                "points": float(seat_points),
                "place": seat.place or None,
                "score": convert_number(seat.score),
            }
            for seat, seat_points in zip(fixture.data.seats, points, strict=True)
        ]


def render_round(
    request: Request, loaded: LoadedCompetition, one_round: Round, fixtures: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """Return a round with its rendered fixtures."""
    position = find_start_position(loaded.competition, one_round.number)
    return render_fields(
        RoundShape,
        one_round,
        status=ROUND_STATUSES[one_round.published_at is not None],
        start_position=position and position._asdict(),
        fixtures=list(fixtures),
        reasons=[{"entries": list(reason.entries), "text": reason.explain()} for reason in list_reasons(one_round)],
        url=build_url(request, "competition-round", loaded.competition, one_round.number),
    )


def render_entry_name(entry: Entry, competition: Competition) -> dict[str, Any]:
    """Return an entry by number, player and name."""
    handles: Sequence[str] = list_handles(entry)
    return {
        "number": entry.number,
        "player": handles[0] if competition.sides_of == 1 and handles else None,
        "name": build_entry_name(entry),
    }
