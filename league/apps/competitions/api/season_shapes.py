"""Shapes of seasons in requests and responses, and the functions that render them."""

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.apps.competitions.api.base import DayOrMoment
from league.apps.competitions.api.shapes import FinalEditionShape
from league.apps.competitions.models import (
    MAX_BLOCKED,
    Competition,
    Season,
    SeasonEdition,
    SeasonEntry,
)
from league.apps.competitions.selectors.season_brackets import BracketSeat, read_bracket_seats
from league.apps.competitions.selectors.season_proposal import SeasonProposal
from league.apps.competitions.selectors.season_standings import DivisionTable, SeasonReader, StageTree
from league.models import Player
from league.web.api.core.inputs import JsonTextField, StrictSerializer, build_input_field
from league.web.api.core.schemas import Shape, render_fields
from ratings.seasons.borders import Zone
from ratings.seasons.divisions import Why, list_divisions
from ratings.seasons.letters import get_letter
from ratings.seasons.rules import RULE_SCHEMA
from ratings.seasons.stages import GroupPlace

ZONES = get_args(Zone)
WHYS = get_args(Why)


@extend_schema_field(RULE_SCHEMA)
class RuleField(s.JSONField):
    """The rule of a season: its divisions, series and stages."""


class SeasonFrameShape(Shape):
    """A season."""

    slug = s.CharField()
    title = s.CharField()
    league = s.CharField()
    description = s.CharField()
    starts = s.DateField(allow_null=True)
    ends = s.DateField(allow_null=True)
    entries_until = s.DateTimeField(allow_null=True)
    previous = s.CharField(allow_null=True, help_text="The slug of the season before.")
    rule = RuleField(help_text="With all parameters.")
    blocked = s.ListField(child=s.DateField(), help_text="Days on which no round begins.")
    status = s.ChoiceField(choices=Season.Status.choices)
    created_at = s.DateTimeField()
    created_by = s.CharField()
    url = s.URLField()


class SeasonEntryShape(Shape):
    """A player in a season."""

    number = s.IntegerField()
    player = s.CharField()
    name = s.CharField()
    rating = s.IntegerField(allow_null=True, help_text="At the draw, or brought along.")
    status = s.ChoiceField(choices=SeasonEntry.Status.choices)
    level = s.IntegerField(allow_null=True, help_text="Of the division.")
    letter = s.CharField()
    reason = s.CharField(help_text="Of a move by hand.")
    entered_at = s.DateTimeField()
    url = s.URLField()


class PreviousPlaceShape(Shape):
    """A place in the season before."""

    season = s.CharField()
    level = s.IntegerField()
    letter = s.CharField()
    place = s.IntegerField()


class ProposedEntryShape(Shape):
    """A player of a proposed division."""

    player = s.CharField()
    name = s.CharField()
    from_ = PreviousPlaceShape(allow_null=True)
    why = s.ChoiceField(choices=WHYS)
    sentence = s.CharField()

    def get_fields(self) -> dict[str, Any]:
        """Return the fields; ``from`` is a word of Python."""
        return {name.removesuffix("_"): field for name, field in super().get_fields().items()}


class ProposedDivisionShape(Shape):
    """A proposed division."""

    level = s.IntegerField()
    letter = s.CharField()
    entries = ProposedEntryShape(many=True)


class ProposedGroupShape(Shape):
    """A proposed competition of a stage; the players in the order of their seeds."""

    stage = s.CharField()
    letter = s.CharField()
    players = s.ListField(child=s.CharField())


class BreakShape(Shape):
    """What a proposal breaks."""

    code = s.CharField()
    detail = s.CharField()


class ProposalShape(Shape):
    """What a draw would make, and the digest that a draw must name."""

    digest = s.CharField()
    divisions = ProposedDivisionShape(many=True)
    stages = ProposedGroupShape(many=True)
    breaks = BreakShape(many=True)


class DivisionRowShape(Shape):
    """A line of a division."""

    rank = s.IntegerField()
    player = s.CharField()
    name = s.CharField()
    entry = s.IntegerField(help_text="The number in the competition.")
    points = s.FloatField()
    played = s.IntegerField()
    zone = s.ChoiceField(choices=ZONES)
    certain = s.BooleanField(help_text="Whether the zone is certain, whatever happens.")
    possible_ranks = s.ListField(child=s.IntegerField(), min_length=2, max_length=2)


class DivisionShape(Shape):
    """The standings of a division."""

    level = s.IntegerField()
    letter = s.CharField()
    competition = s.CharField()
    title = s.CharField()
    results = DivisionRowShape(many=True)


class EventScoreShape(Shape):
    """What an event gave to a player."""

    event = s.IntegerField()
    place = s.IntegerField()
    points = s.FloatField()
    counted = s.BooleanField()


class SeriesRowShape(Shape):
    """A line of a series."""

    rank = s.IntegerField()
    player = s.CharField()
    name = s.CharField()
    points = s.FloatField()
    events = EventScoreShape(many=True)
    can_still_win = s.BooleanField()
    needs = s.FloatField(help_text="Points that the events to come must give to reach the leader.")
    highest = s.FloatField(allow_null=True, help_text="The most points possible at the end; null: no bound.")


class SeriesEventShape(Shape):
    """An event of a series."""

    event = s.IntegerField()
    competition = s.CharField()
    title = s.CharField()
    status = s.ChoiceField(choices=Competition.Status.choices)


class SeatSourceShape(Shape):
    """What leads to a seat: a place of a group of a stage, or a fixture of the stage's own bracket."""

    stage = s.CharField(required=False)
    group = s.CharField(required=False)
    place = s.IntegerField(required=False)
    fixture = s.IntegerField(required=False, allow_null=True, help_text="null: not paired yet.")
    of = s.ChoiceField(choices=["winner", "loser"], required=False, help_text="Who of the fixture takes the seat.")
    competition = s.CharField(required=False, help_text="The slug of the fixture's competition.")
    match = s.IntegerField(required=False, help_text="The number of the fixture's match in the bracket.")


class StageSeatShape(Shape):
    """A seat of a stage: the seeds in their order, then those of later matches of its brackets."""

    from_ = SeatSourceShape(allow_null=True)
    entry = s.IntegerField(allow_null=True, help_text="The number of the season's entry; null: not known yet.")
    player = s.CharField(allow_null=True)
    name = s.CharField()

    def get_fields(self) -> dict[str, Any]:
        """Return the fields; ``from`` is a word of Python."""
        return {name.removesuffix("_"): field for name, field in super().get_fields().items()}


class StageGroupShape(Shape):
    """A competition of a stage."""

    letter = s.CharField()
    competition = s.CharField()
    status = s.ChoiceField(choices=Competition.Status.choices)


class StageShape(Shape):
    """A stage with its competitions and seats."""

    stage = s.CharField()
    title = s.CharField()
    competitions = StageGroupShape(many=True)
    seats = StageSeatShape(many=True)
    outdated = s.BooleanField(help_text="Whether a later correction gives seats to others than those who play.")


class SeasonStandingsShape(Shape):
    """What a season says: parts that its rule does not have are empty."""

    divisions = DivisionShape(many=True)
    series = SeriesRowShape(many=True)
    events = SeriesEventShape(many=True)
    stages = StageShape(many=True)


class SeasonFrameChange(StrictSerializer):
    """Settings of a season; omitted ones are unchanged."""

    title = build_input_field(Season._meta.get_field("title"))
    description = build_input_field(Season._meta.get_field("description"))
    starts = s.DateField(required=False, allow_null=True)
    ends = s.DateField(required=False, allow_null=True)
    entries_until = DayOrMoment(
        required=False,
        allow_null=True,
        help_text="Until when players enter by their links; a date is the last day, in the league's time zone.",
    )
    previous = JsonTextField(max_length=50, required=False, allow_null=True, help_text="The slug of the season before.")
    rule = RuleField(required=False)
    blocked = s.ListField(child=s.DateField(), max_length=MAX_BLOCKED, required=False)
    status = s.ChoiceField(choices=["draft", "open"], required=False)


class SeasonFrameInput(SeasonFrameChange):
    """A new season; omitted settings have defaults."""

    slug = build_input_field(Season._meta.get_field("slug"), default="", help_text="Defaults to the title's letters.")
    title = build_input_field(Season._meta.get_field("title"), required=True)
    rule = RuleField()


def build_season_url(request: Request, name: str, season: Season, *names: object) -> str:
    """Return the URL of a part of a season."""
    return reverse(f"api:{name}", [season.league.slug, season.slug, *names], request=request)


def render_season(request: Request, season: Season) -> dict[str, Any]:
    """Return a season."""
    return render_fields(
        SeasonFrameShape,
        season,
        league=season.league.slug,
        previous=season.previous.slug if season.previous else None,
        url=build_season_url(request, "season", season),
    )


def render_season_entry(request: Request, season: Season, entry: SeasonEntry) -> dict[str, Any]:
    """Return an entry of a season."""
    return render_fields(
        SeasonEntryShape,
        entry,
        player=entry.survivor.handle,
        name=entry.survivor.name,
        url=build_season_url(request, "season-entry", season, entry.number),
    )


def render_season_edition(request: Request, season: Season, edition: SeasonEdition) -> dict[str, Any]:
    """Return an edition of a season's standings."""
    url = build_season_url(request, "season-edition", season, edition.number)
    return render_fields(FinalEditionShape, edition, url=url)


def render_proposal(proposal: SeasonProposal) -> dict[str, Any]:
    """Return a proposal with a sentence for each person."""
    before = proposal.season.previous
    return {
        "digest": proposal.digest,
        "divisions": [
            {
                "level": level,
                "letter": letter,
                "entries": [
                    {
                        "player": one.player,
                        "name": proposal.people[one.player].name,
                        "from": None
                        if one.before is None or before is None
                        else {
                            "season": before.slug,
                            "level": one.before.level,
                            "letter": one.before.letter,
                            "place": one.place,
                        },
                        "why": one.why,
                        "sentence": one.explain(),
                    }
                    for one in members
                ],
            }
            for level, letter, members in list_divisions(proposal.placements)
        ],
        "stages": [
            {"stage": one.stage.key, "letter": one.letter, "players": [player.handle for player in one.players]}
            for one in proposal.groups
        ],
        "breaks": [{"code": one.code, "detail": one.explain()} for one in proposal.breaks],
    }


def render_standings(season: Season) -> dict[str, Any]:
    """Return what a season says."""
    reader = SeasonReader(season)
    rows, parts, people = reader.read_series()
    return {
        "divisions": [_render_division(table) for table in reader.read_divisions()],
        "series": [
            {
                "rank": row.rank,
                "player": people[row.player].handle,
                "name": people[row.player].name,
                "points": float(row.points),
                "events": [
                    {"event": one.event, "place": one.place, "points": float(one.points), "counted": one.counted}
                    for one in row.events
                ],
                "can_still_win": row.can_still_win,
                "needs": float(row.needs),
                "highest": None if row.highest is None else float(row.highest),
            }
            for row in rows
        ],
        "events": [
            {
                "event": number,
                "competition": part.competition.slug,
                "title": part.competition.title,
                "status": part.competition.status,
            }
            for number, part in sorted(parts.items())
        ],
        "stages": [_render_stage(reader, tree) for tree in reader.read_stages()],
    }


def _render_division(table: DivisionTable) -> dict[str, Any]:
    return {
        "level": table.part.level,
        "letter": table.part.letter,
        "competition": table.part.competition.slug,
        "title": table.part.competition.title,
        "results": [
            {
                "rank": line.place.rank,
                "player": line.player.handle,
                "name": line.player.name,
                "entry": line.entry,
                "points": float(line.place.points),
                "played": line.place.played,
                "zone": line.zone,
                "certain": line.certain,
                "possible_ranks": [line.possible.best, line.possible.worst],
            }
            for line in table.lines
        ],
    }


def _render_stage(reader: SeasonReader, tree: StageTree) -> dict[str, Any]:
    return {
        "stage": tree.rule.key,
        "title": tree.rule.name,
        "outdated": tree.is_outdated,
        "competitions": [
            {"letter": part.letter, "competition": part.competition.slug, "status": part.competition.status}
            for part in tree.parts
        ],
        "seats": [
            *[_render_seat(reader, _render_place(seat.source), seat.player) for seat in tree.seats],
            *[
                _render_seat(reader, _render_fixture_source(seat), seat.player)
                for seat in read_bracket_seats(reader, tree)
            ],
        ],
    }


def _render_place(source: GroupPlace | None) -> dict[str, Any] | None:
    if source is None:
        return None
    return {"stage": source.stage, "group": get_letter(source.group), "place": source.place}


def _render_fixture_source(seat: BracketSeat) -> dict[str, Any]:
    return {
        "fixture": seat.source.fixture,
        "of": "loser" if seat.source.loses else "winner",
        "competition": seat.part.competition.slug,
        "match": seat.source.match,
    }


def _render_seat(reader: SeasonReader, source: dict[str, Any] | None, player: Player | None) -> dict[str, Any]:
    entry = reader.by_player.get(player.pk) if player else None
    return {
        "from": source,
        "entry": entry.number if entry else None,
        "player": player.handle if player else None,
        "name": player.name if player else "",
    }
