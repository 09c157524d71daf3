"""Fair sides: the best splits of people by their ratings, for who makes up the sides of a game."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.isolation import postgresql_snapshot
from league.core.games.services.balance import (
    MAX_PEOPLE,
    MAX_SPLITS,
    BalancedPerson,
    BalanceQuestion,
    BalanceRequest,
    load_balance,
    split_people,
)
from league.core.games.services.seating import MAX_SEATED, Seating, SeatingRequest, seat_people
from league.core.text.display_formats import format_percentage
from league.web.api.core.base import Endpoint
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import StrictSerializer, TextListField, WholeNumberField
from league.web.api.core.schemas import STATE, PersonShape, Shape
from league.web.api.openapi.examples import ASK, request_example
from ratings.balance.sides import BestSplits, Exchange, SideSplit
from ratings.contract.system import RatingSystem, index_state_by_key
from ratings.pairing_formats.tables import LARGEST, STRENGTHS


class ShortListField(s.ListField):
    """A list with at most as many entries as people; its length is checked before its entries."""

    def __init__(self, most: int = MAX_PEOPLE, **options: Any) -> None:
        self.most = most
        super().__init__(max_length=most, **options)

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the entries."""
        if isinstance(data, list) and len(data) > self.most:
            raise s.ValidationError(f"has at most {self.most} entries.", code="max_length")
        return list(super().to_internal_value(data))


def _build_players_field(least: int, most: int) -> TextListField:
    """Return the field of the people."""
    return TextListField(
        most=most,
        min_length=least,
        help_text="External ids (`provider:id`), handles or names; whom nobody knows starts as a new player.",
    )


def _build_groups_field(help_text: str, most: int = MAX_PEOPLE) -> s.ListField:
    """Return the field of groups of at least two of the players."""
    return ShortListField(
        most, child=TextListField(most=most, min_length=2), required=False, default=list, help_text=help_text
    )


class BalanceInput(StrictSerializer):
    """People, and what is wanted of their sides."""

    players = _build_players_field(2, MAX_PEOPLE)
    sides = WholeNumberField(
        min_value=2, max_value=MAX_PEOPLE, required=False, allow_null=True, default=None, help_text="2 by default."
    )
    sizes = ShortListField(
        child=WholeNumberField(min_value=1, max_value=MAX_PEOPLE),
        min_length=2,
        required=False,
        allow_null=True,
        default=None,
        help_text="People on each side; as equal as possible by default.",
    )
    together = _build_groups_field("Parties, always kept; parties that share a person are one.")
    apart = _build_groups_field("People who should be on different sides; as few pairs as possible are not.")
    count = WholeNumberField(
        min_value=1, max_value=MAX_SPLITS, required=False, default=3, help_text="Number of splits; 3 by default."
    )


class BalancedPlayerShape(PersonShape):
    """A person, from the highest rating on."""

    new = s.BooleanField(help_text="Nobody has this name: the figures are those of a new player.")
    games = s.IntegerField()
    rating = s.FloatField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)


class BalancedSideShape(Shape):
    """A side of a split."""

    players = s.ListField(child=s.CharField(), help_text="From the highest rating on.")
    rating = s.FloatField(help_text="As the system combines them: the mean, or the sum.")
    expected = s.FloatField(help_text="Expected score against the other sides, on average; 0.5 if even.")


class SwapShape(Shape):
    """Two players whose exchange changes the expected results most, and the figures after it."""

    players = s.ListField(child=s.CharField())
    expected = s.ListField(child=s.FloatField(), help_text="Of each side, in order.")
    quality = s.FloatField()
    words = s.CharField()


class SplitShape(Shape):
    """A split into sides."""

    sides = BalancedSideShape(many=True)
    quality = s.FloatField(help_text="Twice the lowest expected score: 1 if even, 0 if a side cannot win.")
    swap = SwapShape(allow_null=True, help_text="Null: every exchange would break a party or another wish.")
    broken = s.ListField(
        child=s.ListField(child=s.CharField()), help_text="People on one side who should be apart, for each wish."
    )
    exact = s.BooleanField(help_text="Whether all splits were compared: none is better but those before it.")


class BalanceShape(Shape):
    """The best splits, in order."""

    system = s.CharField()
    players = BalancedPlayerShape(many=True)
    splits = SplitShape(many=True)
    exact = s.BooleanField(help_text="Whether all splits were compared: always for two sides of up to 20 people.")
    bound = s.FloatField(help_text="No split that keeps as many wishes has a higher quality; 1 unless exact.")


def render_balance(question: BalanceQuestion, best: BestSplits) -> dict[str, Any]:
    """Return the people and the splits."""
    names = {person.handle: person.name for person in question.people}
    return {
        "system": question.system.key,
        "players": [_render_person(question.system, person) for person in question.people],
        "splits": [
            {
                "sides": [
                    {"players": list(players), "rating": rating, "expected": expected}
                    for players, rating, expected in zip(split.sides, split.ratings, split.expected, strict=True)
                ],
                "quality": split.quality,
                "swap": None if split.swap is None else _render_swap(split, split.swap, names),
                "broken": [list(group) for group in split.broken],
                "exact": best.exact,
            }
            for split in best.splits
        ],
        "exact": best.exact,
        "bound": best.bound,
    }


def _render_person(system: RatingSystem, person: BalancedPerson) -> dict[str, Any]:
    return {
        "player": person.handle,
        "name": person.name,
        "new": person.is_new,
        "games": person.games,
        "rating": person.state[0],
        "state": index_state_by_key(system, person.state),
    }


def _render_swap(split: SideSplit, swap: Exchange, names: dict[str, str]) -> dict[str, Any]:
    """Return an exchange with a sentence about the side that it changes most."""
    side = max(range(len(swap.expected)), key=lambda index: abs(swap.expected[index] - split.expected[index]))
    one, other = (names[handle] for handle in swap.players)
    before, after = _format_shares([split.expected[side], swap.expected[side]])
    template = _("If {one} and {other} changed teams, team {side} would expect {after} of the points, not {before}.")
    return {
        "players": list(swap.players),
        "expected": list(swap.expected),
        "quality": swap.quality,
        "words": template.format(one=one, other=other, side=side + 1, before=before, after=after),
    }


def _format_shares(shares: Sequence[float]) -> list[str]:
    """Return shares as percentages, with as many decimals as tell them apart, one at most."""
    whole = [format_percentage(share) for share in shares]
    return whole if len(set(whole)) == len(whole) else [format_percentage(share, 1) for share in shares]


class SeatingInput(StrictSerializer):
    """People, and what is wanted of their tables."""

    players = _build_players_field(3, MAX_SEATED)
    size = WholeNumberField(
        min_value=3, max_value=LARGEST, required=False, default=4, help_text="People at a table; 4 by default."
    )
    strength = s.ChoiceField(
        choices=list(STRENGTHS),
        required=False,
        default="mixed",
        help_text="`mixed`: equally strong tables; `similar`: people of similar ratings together; `lot`: drawn by lot.",
    )
    apart = _build_groups_field("People who must be at different tables.", MAX_SEATED)
    seed = WholeNumberField(
        min_value=0, max_value=2**31 - 1, required=False, default=0, help_text="Another seed draws other lots."
    )


class SeatedTableShape(Shape):
    """A table."""

    players = s.ListField(child=s.CharField(), help_text="In seat order.")
    rating = s.FloatField(help_text="The mean.")


class SeatingShape(Shape):
    """Who sits with whom."""

    system = s.CharField()
    players = BalancedPlayerShape(many=True)
    tables = SeatedTableShape(many=True)


def render_seating(seating: Seating) -> dict[str, Any]:
    """Return the people and the tables."""
    return {
        "system": seating.system.key,
        "players": [_render_person(seating.system, person) for person in seating.people],
        "tables": [
            {
                "players": [person.handle for person in table],
                "rating": sum(person.state[0] for person in table) / len(table),
            }
            for table in seating.tables
        ],
    }


EXAMPLE = {"players": ["anna", "Ben", "fide:1503014", "dora"], "together": [["anna", "dora"]], "count": 1}


class BalanceSides(Endpoint):
    """Fair sides."""

    @extend_schema(
        operation_id="balance_sides",
        request=BalanceInput,
        responses={200: BalanceShape, **ASK},
        examples=[
            request_example("Two sides with a party", EXAMPLE),
            request_example("Three against two", {"players": ["anna", "ben", "cleo", "dora", "emil"], "sizes": [3, 2]}),
        ],
    )
    @idempotent(reads=True)
    def post(self, request: Request, league: str) -> Response:
        """Split up to 24 people into fair sides; nothing is saved, and a public league needs no token.

        By the league's own system, with the uncertainty of its ratings. All splits are compared if there are at most
        200,000, so always for two sides of up to 20 people; otherwise good ones are improved by exchanges. The answer
        does not depend on the order of the request.
        """
        the_league = self.bare_league(league)
        asked = BalanceRequest(**self.body(BalanceInput), viewer=self.viewer)
        with postgresql_snapshot():
            question = load_balance(the_league, asked)
        return Response(render_balance(question, split_people(question)))


class SeatTables(Endpoint):
    """Seats at tables."""

    @extend_schema(
        operation_id="seat_tables",
        request=SeatingInput,
        responses={200: SeatingShape, **ASK},
        examples=[
            request_example("Tables of three", {"players": ["anna", "ben", "cleo", "dora", "emil", "fred"], "size": 3})
        ],
    )
    @idempotent(reads=True)
    def post(self, request: Request, league: str) -> Response:
        """Seat up to 60 people at tables, as the pairing format `tables` seats a first round; nothing is saved.

        By the ratings now. If the number of people does not fit the size, some tables have one person less or more.
        The answer does not depend on the order of the request, but on the seed.
        """
        the_league = self.bare_league(league)
        asked = SeatingRequest(**self.body(SeatingInput), viewer=self.viewer)
        with postgresql_snapshot():
            return Response(render_seating(seat_people(the_league, asked)))
