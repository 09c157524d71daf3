"""Standings of a competition with their explanation, the cross table, and the card of an entry."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.competitions.api.base import ROUND_NUMBER, CompetitionEndpoint
from league.apps.competitions.api.shapes import (
    FIXTURE_STATUSES,
    convert_number,
    render_entry_name,
)
from league.apps.competitions.models import MAX_ROUNDS, Fixture
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.fide_elo import FideElo, build_fide_elo
from league.apps.competitions.selectors.fide_texts import list_fide_games
from league.apps.competitions.selectors.results import EntryRound, list_entry_rounds, load_rating_changes
from league.apps.competitions.selectors.standings import compute_possible_ranks, compute_standings
from league.core.errors import NotFound, Problem
from league.web.api.core.base import TableEndpoint, parse_integer, parse_query
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import Shape, render_fields
from league.web.api.openapi.examples import READ, build_query_parameter
from league.web.api.tables import FORMAT, READ_FORMAT, build_csv_responses, render_csv_response
from ratings.contract.tie_break import TieBreakExplanation
from ratings.standings.left_out import EXPELLED, FEW_GAMES
from ratings.standings.ranking import Standings, StandingsRow
from ratings.standings.tie_break_codes import UnknownTieBreak
from ratings.texts import say

MAX_CODES = 50
PERFORMANCES = ("ARO", "TPR", "PTP", "APRO", "APPO")
CODES = {"type": "string", "pattern": r"^[A-Za-z0-9/+-]+(,[A-Za-z0-9/+-]+){0,19}$", "maxLength": 200}
ROUND = build_query_parameter("round", ROUND_NUMBER, "As after this round.")
TIE_BREAKS = build_query_parameter("tie_breaks", CODES, "Codes in order, such as DE,BH/C1; instead of its own.")


class EntryNameShape(Shape):
    """An entry by number, player and name."""

    number = s.IntegerField()
    player = s.CharField(allow_null=True, help_text="The handle of the player; null for a side.")
    name = s.CharField()


class StandingsRowShape(Shape):
    """An entry's line of the standings."""

    rank = s.IntegerField(help_text="Entries that no tie-break separates share a rank.")
    entry = EntryNameShape()
    points = s.FloatField()
    tie_breaks = s.DictField(child=s.FloatField(allow_null=True), help_text="Code -> value; null: there is none.")
    decided_by = s.CharField(
        allow_null=True, help_text="The tie-break that separates it from the row below; null: points."
    )
    left_out = s.ChoiceField(
        choices=[EXPELLED, FEW_GAMES], allow_null=True, help_text="Why it is left out of the ranks, below all others."
    )
    possible_ranks = s.ListField(
        child=s.IntegerField(), allow_null=True, help_text="The best and the worst final rank; null for an old round."
    )
    possible_ranks_exact = s.BooleanField(help_text="Whether both ranks can be reached; else no rank is outside.")


class StandingsShape(Shape):
    """Standings after a round."""

    round = s.IntegerField()
    tie_breaks = s.ListField(child=s.CharField())
    results = StandingsRowShape(many=True)


class ValuePartShape(Shape):
    """A part of a value."""

    round = s.IntegerField(allow_null=True)
    opponent = s.IntegerField(allow_null=True, help_text="The number of the entry.")
    amount = s.FloatField()
    note = s.CharField()
    left_out = s.FloatField(allow_null=True, help_text="What it would have been, if a modifier left it out.")


class ExplainedValueShape(Shape):
    """A value with its parts, whose amounts sum to it."""

    code = s.CharField()
    title = s.CharField()
    meaning = s.CharField()
    value = s.FloatField(allow_null=True)
    reason = s.CharField(allow_null=True, help_text="Why there is no value.")
    parts = ValuePartShape(many=True)


class ExplainedRowShape(Shape):
    """An entry's line of the standings, explained."""

    round = s.IntegerField()
    rank = s.IntegerField()
    entry = EntryNameShape()
    points = s.FloatField()
    decided_by = s.CharField(allow_null=True)
    tie_breaks = ExplainedValueShape(many=True, help_text="Points first.")


class EntryRoundShape(Shape):
    """An entry's fixture in a round."""

    round = s.IntegerField(source="fixture.round", allow_null=True)
    fixture = s.IntegerField(source="fixture.number")
    kind = s.ChoiceField(source="fixture.kind", choices=Fixture.Kind.choices)
    status = s.ChoiceField(source="fixture.status", choices=FIXTURE_STATUSES)
    seat = s.IntegerField()
    colour = s.CharField(allow_null=True, help_text="white or black, in a game of two that has colours.")
    opponents = s.ListField(child=s.IntegerField(), help_text="Numbers of entries in seat order.")
    points = s.FloatField(allow_null=True)
    place = s.IntegerField(allow_null=True)
    score = s.FloatField(allow_null=True)
    game = s.IntegerField(allow_null=True)


class CrossTableRowShape(Shape):
    """An entry's line of the cross table."""

    rank = s.IntegerField()
    entry = EntryNameShape()
    points = s.FloatField()
    meetings = EntryRoundShape(many=True)


class CrossTableShape(Shape):
    """Every meeting, by entry."""

    round = s.IntegerField()
    results = CrossTableRowShape(many=True)


class EntryRatingChangeShape(Shape):
    """The change of a player's rating by a game."""

    player = s.CharField()
    rating_before = s.FloatField()
    rating_after = s.FloatField()
    change = s.FloatField()


class RatedEntryShape(EntryNameShape):
    """An entry with its rating."""

    rating = s.IntegerField(allow_null=True)


class CardRoundShape(EntryRoundShape):
    """A round of the card; ``opponents`` with names and ratings."""

    opponents = RatedEntryShape(many=True)  # type: ignore[assignment]  # with names and ratings
    rating_changes = EntryRatingChangeShape(many=True, help_text="Of the entry's players; empty if it is not rated.")


class PerformanceValueShape(Shape):
    """A performance measure of FIDE."""

    value = s.FloatField(allow_null=True)
    reason = s.CharField(allow_null=True, help_text="Why there is no value.")


class FideGameShape(Shape):
    """A game of a rating change by FIDE's regulations."""

    round = s.IntegerField()
    opponent = s.IntegerField(help_text="The number of the entry.")
    difference = s.IntegerField(help_text="Of the ratings, as it counts.")
    limited = s.BooleanField(help_text="Whether a larger difference counts as 400.")
    expected = s.FloatField()
    score = s.FloatField()
    k = s.IntegerField()
    change = s.FloatField()


class FideFirstRatingShape(Shape):
    """The first rating of an unrated player, from the games so far."""

    rating = s.IntegerField()
    games = s.IntegerField(help_text="Against rated opponents.")
    reason = s.CharField(allow_null=True, help_text="Why it is not published: no_points, games, floor.")


class FideNormPartShape(Shape):
    """A condition of a norm."""

    name = s.CharField()
    found = s.IntegerField(help_text="For score: half points.")
    bound = s.IntegerField()
    at_most = s.BooleanField(help_text="Whether the bound is the most that is allowed; else the least.")
    is_met = s.BooleanField()


class FideNormShape(Shape):
    """How far the games are a norm for a title."""

    title = s.CharField()
    games = s.IntegerField()
    is_met = s.BooleanField()
    parts = FideNormPartShape(many=True)


class FideEloShape(Shape):
    """What the games change by FIDE's rating regulations."""

    rating = s.IntegerField(allow_null=True, help_text="Null: unrated.")
    k = s.IntegerField(
        allow_null=True, help_text="As it counts, after the limit for many games; null if it differs: see `games`."
    )
    k_reason = s.CharField(
        allow_null=True, help_text="listed, or why it is assumed: top, youth, usual; null if it differs."
    )
    change = s.FloatField(allow_null=True, help_text="Before rounding.")
    games = FideGameShape(many=True)
    first_rating = FideFirstRatingShape(allow_null=True)
    norms = FideNormShape(many=True, help_text="Hints that are worth telling.")


class EntryCardShape(Shape):
    """An entry's rounds and performance."""

    entry = RatedEntryShape()
    rank = s.IntegerField()
    points = s.FloatField()
    rounds = CardRoundShape(many=True)
    performance = s.DictField(child=PerformanceValueShape(), help_text="ARO, TPR, PTP, APRO, APPO.")
    fide = FideEloShape(allow_null=True, help_text="Null if FIDE's ratings mean nothing there, or no game counts.")


def _parse_codes(text: str) -> list[str]:
    codes = [code.strip() for code in text.split(",")]
    if not all(codes) or len(codes) > MAX_CODES:
        raise ValueError(f"1 to {MAX_CODES} codes of tie-breaks, such as DE,BH/C1")
    return codes


def _parse_round(text: str) -> int:
    return parse_integer(text, 1, MAX_ROUNDS)


def _compute(loaded: LoadedCompetition, query: dict[str, Any]) -> Standings:
    """Return the standings that were asked for; raises 400 for an unknown code or a round that is not there."""
    number, last = query.get("round"), _find_last_round(loaded)
    if number is not None and number > last:
        message = _("The last published round is {last}; round {round} is not there.").format(last=last, round=number)
        raise ApiProblem(400, message, [Problem("?round", "unknown", message)])
    try:
        return compute_standings(loaded, round_number=number, tie_breaks=query.get("tie_breaks"))
    except UnknownTieBreak as error:
        message = str(error.args[0])
        raise ApiProblem(400, message, [Problem("?tie_breaks", "unknown_tie_break", message)]) from None


def _find_last_round(loaded: LoadedCompetition) -> int:
    """Return the number of the last round that the standings count."""
    return max((one_round.number for one_round in loaded.data.rounds), default=0)


def _list_codes(standings: Standings, asked: Sequence[str]) -> list[str]:
    """Return the codes as they are usually written, without the points that come first anyway."""
    codes = [choice.code for choice in standings.choices]
    return codes if len(codes) == len(asked) else codes[1:]


def _find_row(standings: Standings, loaded: LoadedCompetition, number: int) -> StandingsRow:
    row = next((row for row in standings.rows if row.entry == number), None)
    if row is None:
        message = _("The standings of {title} have no entry {number}.")
        raise NotFound(message.format(title=loaded.competition.title, number=number))
    return row


class StandingsList(CompetitionEndpoint, TableEndpoint):
    """The standings of a competition."""

    @extend_schema(
        operation_id="get_standings",
        parameters=[ROUND, TIE_BREAKS, FORMAT],
        responses={200: StandingsShape, **build_csv_responses(StandingsRowShape), **READ},
    )
    def get(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Return the standings by points and tie-breaks, after the last published round or an earlier one."""
        found = self.competition(league, competition)
        query: dict[str, Any] = parse_query(
            request, {"round": _parse_round, "tie_breaks": _parse_codes, "format": READ_FORMAT}
        )
        loaded = self.load(found)
        standings, last = _compute(loaded, query), _find_last_round(loaded)
        number = query.get("round", last)
        asked = query.get("tie_breaks", found.tie_breaks)
        codes = _list_codes(standings, asked)
        possible = compute_possible_ranks(loaded, standings) if number == last and "tie_breaks" not in query else {}
        results = []
        for row in standings.rows:
            ranks = possible.get(row.entry)
            results.append(
                {
                    "rank": row.rank,
                    "entry": render_entry_name(loaded.entries[row.entry], found),
                    "points": float(row.points),
                    "tie_breaks": {code: convert_number(row.values[code]) for code in codes},
                    "decided_by": row.decided_by or None,
                    "left_out": row.left_out or None,
                    "possible_ranks": None if ranks is None else [ranks.best, ranks.worst],
                    "possible_ranks_exact": ranks is not None and ranks.exact,
                }
            )
        if self.form == "csv":
            return render_csv_response(results, StandingsRowShape, None)
        return Response({"round": number, "tie_breaks": codes, "results": results})


class ExplainedStandings(CompetitionEndpoint):
    """The explanation of an entry's line of the standings."""

    @extend_schema(
        operation_id="explain_standings", parameters=[ROUND, TIE_BREAKS], responses={200: ExplainedRowShape, **READ}
    )
    def get(self, request: Request, league: str, competition: str, number: int) -> Response:
        """Explain each value of an entry by its rounds; the amounts of the parts sum to the value."""
        found = self.competition(league, competition)
        query: dict[str, Any] = parse_query(request, {"round": _parse_round, "tie_breaks": _parse_codes})
        loaded = self.load(found)
        standings = _compute(loaded, query)
        row = _find_row(standings, loaded, number)
        explanations = standings.explain(number)
        values = [
            {
                "code": choice.code,
                "title": say(choice.tie_break.title),
                "meaning": say(choice.tie_break.summary),
                **_render_explanation(explanations[choice.code]),
            }
            for choice in standings.choices
        ]
        return Response(
            {
                "round": query.get("round", _find_last_round(loaded)),
                "rank": row.rank,
                "entry": render_entry_name(loaded.entries[number], found),
                "points": float(row.points),
                "decided_by": row.decided_by or None,
                "tie_breaks": values,
            }
        )


def _render_explanation(explanation: TieBreakExplanation) -> dict[str, Any]:
    return {
        "value": convert_number(explanation.value),
        "reason": say(explanation.reason) if explanation.reason else None,
        "parts": [
            {
                "round": part.round or None,
                "opponent": part.opponent or None,
                "amount": float(part.amount),
                "note": say(part.note) if part.note else "",
                "left_out": convert_number(part.left_out),
            }
            for part in explanation.parts
        ],
    }


def _render_entry_round(one: EntryRound) -> dict[str, Any]:
    return render_fields(
        EntryRoundShape,
        one,
        colour=one.colour or None,
        opponents=list(one.opponents),
        points=convert_number(one.points),
        place=one.place or None,
        score=convert_number(one.score),
        game=one.fixture.game and one.fixture.game.number,
    )


class CrossTable(CompetitionEndpoint):
    """The cross table of a competition."""

    @extend_schema(operation_id="get_cross_table", responses={200: CrossTableShape, **READ})
    def get(self, request: Request, league: str, competition: str) -> Response:
        """Return every meeting of every entry, in the order of the standings."""
        found = self.bare_competition(league, competition)
        loaded = self.load(found)
        standings, rounds = compute_standings(loaded), list_entry_rounds(loaded)
        results = [
            {
                "rank": row.rank,
                "entry": render_entry_name(loaded.entries[row.entry], found),
                "points": float(row.points),
                "meetings": [_render_entry_round(one) for one in rounds[row.entry]],
            }
            for row in standings.rows
        ]
        return Response({"round": _find_last_round(loaded), "results": results})


class EntryCardDetail(CompetitionEndpoint):
    """The card of an entry."""

    @extend_schema(operation_id="get_entry_card", responses={200: EntryCardShape, **READ})
    def get(self, request: Request, league: str, competition: str, number: int) -> Response:
        """Return an entry's rounds with opponents, results and rating changes, FIDE's measures and FIDE's changes."""
        found = self.bare_competition(league, competition)
        loaded = self.load(found)
        standings = compute_standings(loaded, tie_breaks=[*found.tie_breaks, *PERFORMANCES])
        row = _find_row(standings, loaded, number)
        explanations = standings.explain(number)
        rounds = list_entry_rounds(loaded)[number]
        changes = load_rating_changes(loaded, number, rounds)
        names = {entry: _render_opponent(loaded, entry) for entry in loaded.entries}
        return Response(
            {
                "entry": names[number],
                "rank": row.rank,
                "points": float(row.points),
                "rounds": [
                    {
                        **_render_entry_round(one),
                        "opponents": [names[opponent] for opponent in one.opponents],
                        "rating_changes": [change._asdict() for change in changes.get(one.fixture.number, ())],
                    }
                    for one in rounds
                ],
                "performance": {
                    code: {
                        "value": convert_number(explanations[code].value),
                        "reason": say(explanations[code].reason) if explanations[code].reason else None,
                    }
                    for code in PERFORMANCES
                },
                "fide": _render_fide_elo(build_fide_elo(loaded, standings.table, number)),
            }
        )


def _render_fide_elo(sums: FideElo | None) -> dict[str, Any] | None:
    if sums is None:
        return None
    first, periods = sums.first, sums.periods
    # In a long competition K can change.
    k = {one.change.k for one in periods}
    reasons = {one.k.reason for one in periods}
    return {
        "rating": sums.rating,
        "k": k.pop() if len(k) == 1 else None,
        "k_reason": reasons.pop() if len(reasons) == 1 else None,
        "change": None if sums.total is None else convert_number(sums.total),
        "games": list_fide_games(sums),
        "first_rating": None
        if first is None
        else render_fields(FideFirstRatingShape, first, reason=first.reason or None),
        "norms": [
            render_fields(FideNormShape, hint, parts=[render_fields(FideNormPartShape, part) for part in hint.parts])
            for hint in sums.norms
        ],
    }


def _render_opponent(loaded: LoadedCompetition, number: int) -> dict[str, Any]:
    entry = loaded.entries[number]
    return {**render_entry_name(entry, loaded.competition), "rating": entry.rating}
