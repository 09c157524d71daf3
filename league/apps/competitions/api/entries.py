"""Entries of a competition."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiExample, PolymorphicProxySerializer, extend_schema
from rest_framework import serializers as s
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.competitions.api.base import IF_MATCH, CompetitionEndpoint, build_confirm_field
from league.apps.competitions.api.documents import AboutField
from league.apps.competitions.api.shapes import EntryShape, render_entry
from league.apps.competitions.models import (
    DETAILS,
    MAX_ENTRIES,
    MAX_LISTS,
    MAX_NUMBER,
    MAX_RATING,
    MAX_ROUNDS,
    MAX_SIDE,
    Competition,
    Entry,
)
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry, check_in
from league.apps.competitions.services.entry_checks import BYE_KINDS, MAX_POINTS_TEXT, find_entry
from league.apps.competitions.services.exchange_numbers import exchange_numbers
from league.apps.competitions.services.seeding import load_players
from league.core.errors import Problem, RungsError
from league.core.text.names import build_name_key
from league.models.recorded import MAX_REASON_LENGTH
from league.web.api.core.idempotency import run_once
from league.web.api.core.inputs import (
    Flag,
    JsonTextField,
    StrictSerializer,
    TextListField,
    WholeNumberField,
    build_input_field,
)
from league.web.api.core.responses import compute_etag
from league.web.api.core.schemas import Shape
from league.web.api.games.serializers import NamedInput
from league.web.api.openapi.examples import (
    READ,
    build_error_responses,
    describe_list,
    describe_write,
    request_example,
)

MAX_BYES, MAX_NOT_AGAINST, MAX_ADDED = MAX_ROUNDS, 100, 20
ABOUT = "For categories: sex (m, w), born (a year), club, own facts."
HELPS = {"name": "Of a side.", "rating": "Brought along.", "by_hand": "A number, for the tie-break HAND."}


class ByeInput(StrictSerializer):
    """A bye that an entry asks for."""

    round = WholeNumberField(min_value=1, max_value=MAX_ROUNDS)
    kind = s.ChoiceField(choices=BYE_KINDS)


class OfficialRatingInput(StrictSerializer):
    """A rating of a list."""

    rating = WholeNumberField(min_value=0, max_value=MAX_RATING)
    rating_from = build_input_field(
        Entry._meta.get_field("rating_from"),
        required=True,
        help_text="The list, its day and the kind, such as fide 2026-11-01, rapid.",
    )


class LaterRatingInput(StrictSerializer):
    """A rating that applies from a round on."""

    from_round = WholeNumberField(min_value=2, max_value=MAX_ROUNDS)
    rating = WholeNumberField(min_value=0, max_value=MAX_RATING)
    rating_from = build_input_field(
        Entry._meta.get_field("rating_from"), default="", help_text="The list that it is from; empty: typed."
    )


def _build_details(*, with_defaults: bool = False) -> dict[str, s.Field[Any, Any, Any, Any]]:
    """Return the fields of what is typed of an entry; without ``with_defaults``, omitted ones are missing."""
    details = {}
    for name in DETAILS:
        field: Any = Entry._meta.get_field(name)
        default = field.get_default() if with_defaults else empty
        details[name] = build_input_field(field, default=default, help_text=HELPS.get(name))
    details["official_ratings"] = s.ListField(
        child=OfficialRatingInput(),
        max_length=MAX_LISTS,
        required=False,
        help_text="Of rating lists; `rating` may be another.",
        default=list if with_defaults else empty,
    )
    details["later_ratings"] = s.ListField(
        child=LaterRatingInput(),
        max_length=MAX_ROUNDS,
        required=False,
        help_text="In a long competition: the ratings that apply from later rounds on.",
        default=list if with_defaults else empty,
    )
    return details


def _build_not_against(**options: Any) -> s.ListField:
    number = WholeNumberField(min_value=1, max_value=MAX_NUMBER)
    return s.ListField(child=number, max_length=MAX_NOT_AGAINST, required=False, **options)


class ApartInput(StrictSerializer):
    """An entry that must not be met in some rounds."""

    entry = WholeNumberField(min_value=1, max_value=MAX_NUMBER)
    rounds = s.ListField(
        child=WholeNumberField(min_value=1, max_value=MAX_ROUNDS),
        min_length=2,
        max_length=2,
        help_text="The first and the last one.",
    )


class AddedPointsInput(StrictSerializer):
    """Points that an arbiter adds or takes."""

    round = WholeNumberField(min_value=0, max_value=MAX_ROUNDS, help_text="They count after this round.")
    points = JsonTextField(max_length=MAX_POINTS_TEXT, help_text="A number or a fraction such as -1 or 1/2.")
    reason = JsonTextField(max_length=MAX_REASON_LENGTH)


class EntryChange(StrictSerializer):
    """Changes of an entry; omitted fields are unchanged."""

    players = TextListField(
        most=MAX_SIDE, min_length=1, required=False, help_text="Handles, names or aliases; before the start."
    )
    byes = s.ListField(child=ByeInput(), max_length=MAX_BYES, required=False, help_text="Instead of those it has.")
    not_against = _build_not_against(help_text="Numbers of entries that it must not meet; symmetric.")
    apart = s.ListField(
        child=ApartInput(),
        max_length=MAX_NOT_AGAINST,
        required=False,
        help_text="Entries that it must not meet in some rounds; symmetric.",
    )
    added_points = s.ListField(
        child=AddedPointsInput(),
        max_length=MAX_ADDED,
        required=False,
        help_text="Points that the arbiter adds or takes, instead of those it has.",
    )
    about = AboutField(required=False, help_text=ABOUT)
    status = s.ChoiceField(
        choices=["entered", "withdrawn"], required=False, help_text="withdrawn: it plays no more; entered: again."
    )
    withdrawn_after = WholeNumberField(
        min_value=0, max_value=MAX_ROUNDS, required=False, help_text="The last round that it plays."
    )
    no_byes = Flag(required=False, help_text="It may ask for no bye with points.")
    expelled = Flag(required=False, help_text="By the arbiter: it withdraws, and is left out of the ranks.")
    confirm = build_confirm_field()
    checked_in = Flag(required=False, help_text="Whether it is present this evening.")

    def get_fields(self) -> dict[str, Any]:
        """Return the fields, with the details after the players."""
        fields = super().get_fields()
        return {"players": fields.pop("players"), **_build_details(), **fields}


class EntryInput(StrictSerializer):
    """A new entry: a player, or the players of a side."""

    player = JsonTextField(max_length=120, required=False, help_text="Handle, name or alias.")
    players = TextListField(most=MAX_SIDE, min_length=1, required=False, help_text="Of a side, in order.")
    byes = s.ListField(child=ByeInput(), max_length=MAX_BYES, required=False, default=list)
    not_against = _build_not_against(default=list)
    about = AboutField(required=False, default=dict, help_text=ABOUT)

    def get_fields(self) -> dict[str, Any]:
        """Return the fields, with the details after the players."""
        fields = super().get_fields()
        named = {name: fields.pop(name) for name in ("player", "players")}
        return {**named, **_build_details(with_defaults=True), **fields}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require either a player or players."""
        if ("player" in attrs) == ("players" in attrs):
            message = "needs either player or players."
            raise s.ValidationError({"player": [s.ErrorDetail(message, "missing")]})
        attrs["players"] = attrs["players"] if "players" in attrs else [attrs.pop("player")]
        return attrs


class EntriesInput(StrictSerializer):
    """Several entries; all are added, or none."""

    confirm = build_confirm_field()

    entries = EntryInput(many=True, allow_empty=False)
    create_players = Flag(required=False, default=False, help_text="Add unknown players, under the name sent.")
    names = NamedInput(many=True, required=False, default=list, help_text="Names of new players.")

    def run_validation(self, data: Any = empty) -> Any:
        """Check the number of entries before validating each."""
        lines = data.get("entries") if isinstance(data, dict) else None
        if isinstance(lines, list) and len(lines) > MAX_ENTRIES:
            message = f"has at most {MAX_ENTRIES:,} items; {len(lines):,} were sent."
            raise s.ValidationError({"entries": [s.ErrorDetail(message, "too_many")]})
        return super().run_validation(data)


class NewEntryInput(EntryInput):
    """One new entry; or several in `entries`."""

    confirm = build_confirm_field()

    create_players = Flag(required=False, default=False, help_text="Add unknown players, under the name sent.")
    names = NamedInput(many=True, required=False, default=list, help_text="Names of new players.")


class AddedEntriesShape(Shape):
    """The entries that were added or changed, in the order sent."""

    entries = EntryShape(many=True)


NEW_ENTRIES = PolymorphicProxySerializer(
    "NewEntries", serializers=[NewEntryInput, EntriesInput], resource_type_field_name=None
)
ADDED_ENTRIES = PolymorphicProxySerializer(
    "AddedEntries", serializers=[EntryShape, AddedEntriesShape], resource_type_field_name=None
)


def _point_to_fields(problems: Sequence[Problem], sent: Mapping[str, Any]) -> list[Problem]:
    """Return the problems of the only entry with pointers into its own body."""
    pointers = [problem.pointer.removeprefix("/entries/0") for problem in problems]
    if "player" in sent:
        pointers = ["/player" if pointer == "/players/0" else pointer for pointer in pointers]
    return [replace(problem, pointer=pointer) for problem, pointer in zip(problems, pointers, strict=True)]


class EntryEndpoint(CompetitionEndpoint):
    """Base of the views of entries."""

    def render(self, competition: Competition, entry: Entry) -> dict[str, Any]:
        """Return an entry as the viewer may see it."""
        load_players([entry])
        return render_entry(self.request, competition, entry, for_organisers=self.is_arbiter(competition.league))


class Entries(EntryEndpoint):
    """The entries of a competition."""

    @describe_list("list_entries", EntryShape, "Entry")
    def get(self, request: Request, league: str, competition: str) -> Response:
        """List the entries by number, with the waiting list and withdrawn ones."""
        found = self.competition(league, competition)
        return self.paginate(found.entries.with_players().order_by("number"), lambda entry: self.render(found, entry))

    @describe_write(
        "add_entries",
        NEW_ENTRIES,
        {201: ADDED_ENTRIES},
        request_example("One", {"player": "pedja", "rating": 1850}),
        OpenApiExample(
            "Several",
            value={
                "entries": [{"player": "marko"}, {"player": "nina"}],
                "create_players": True,
                "names": [{"handle": "nina", "name": "Nina Novak"}],
            },
            request_only=True,
        ),
    )
    def post(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Add one entry, or several in `entries`: all or none. Beyond `max_entries` they go to the waiting list.

        The body may also be a JSON array of entries.
        """
        found = self.bare_competition(league, competition, "arbitrate")
        several, data = self.read_entries()
        new = [NewEntry(**entry) for entry in data["entries"]]
        names = {build_name_key(line["handle"]): line["name"] for line in data["names"]}

        def add() -> list[int]:
            try:
                added = add_entries(
                    found.league_id,
                    found.slug,
                    new,
                    by=self.viewer.name,
                    viewer=self.viewer,
                    create_players=data["create_players"],
                    names=names,
                    confirmed=data["confirm"],
                )
            except RungsError as error:
                if several:
                    raise
                raise type(error)(
                    error.detail, _point_to_fields(error.problems, dict(request.data)), error.members
                ) from None
            return [entry.number for entry in added]

        def show(numbers: list[int]) -> Response:
            stored = {entry.number: entry for entry in found.entries.with_players().filter(number__in=numbers)}
            results = [self.render(found, stored.get(number) or find_entry(found, number)) for number in numbers]
            return Response({"entries": results} if several else results[0], status=201)

        return run_once(request, add, render=show)

    def read_entries(self) -> tuple[bool, dict[str, Any]]:
        """Return whether several entries were sent, and the body as ``EntriesInput`` has it."""
        sent: Any = self.request.data
        if isinstance(sent, list):
            return True, EntriesInput().run_validation({"entries": sent})
        if isinstance(sent, Mapping) and "entries" in sent:
            return True, self.body(EntriesInput)
        entry = self.body(NewEntryInput)
        return False, {name: entry.pop(name) for name in ("create_players", "names", "confirm")} | {"entries": [entry]}


class ExchangeInput(StrictSerializer):
    """The two entries, and the reason."""

    entries = s.ListField(
        child=WholeNumberField(min_value=1, max_value=MAX_NUMBER),
        min_length=2,
        max_length=2,
        help_text="The `number` of both.",
    )
    reason = JsonTextField(max_length=MAX_REASON_LENGTH)
    confirm = build_confirm_field()


class ExchangedNumbers(EntryEndpoint):
    """The exchange of the pairing numbers of two entries."""

    @describe_write(
        "exchange_pairing_numbers",
        ExchangeInput,
        {200: AddedEntriesShape},
        request_example(
            "Confirmed",
            {"entries": [3, 4], "reason": "Equal ratings, in the wrong order.", "confirm": ["exchanges_numbers"]},
        ),
    )
    def post(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Exchange the pairing numbers of two entries of a Swiss system, until round 4 is made.

        Ratings and the rounds that are made stay as they are; `number` stays the key of both. Under the regulations it
        is a warning of level 3. Exchanging them again takes it back.
        """
        found = self.bare_competition(league, competition, "arbitrate")
        data = self.body(ExchangeInput)

        def exchange() -> None:
            exchange_numbers(
                found.league_id,
                found.slug,
                data["entries"],
                by=self.viewer.name,
                reason=data["reason"],
                confirmed=data["confirm"],
            )

        def show(_answer: None) -> Response:
            return Response({"entries": [self.render(found, find_entry(found, one)) for one in data["entries"]]})

        return run_once(request, exchange, render=show)


class OneEntry(EntryEndpoint):
    """An entry of a competition."""

    @extend_schema(operation_id="get_entry", responses={200: EntryShape, **READ})
    def get(self, request: Request, league: str, competition: str, number: int) -> Response:
        """Read an entry; its ETag goes into If-Match of a change."""
        return self.answer(self.bare_competition(league, competition), number)

    @describe_write(
        "change_entry",
        EntryChange,
        {200: EntryShape, **build_error_responses(412)},
        request_example("A bye", {"byes": [{"round": 3, "kind": "half_bye"}]}),
        request_example("Withdrawal", {"status": "withdrawn"}),
        parameters=[IF_MATCH],
    )
    def patch(self, request: Request, league: str, competition: str, number: int) -> Response:
        """Change an entry, withdraw it or check it in."""
        found = self.bare_competition(league, competition, "arbitrate")
        find_entry(found, number)
        changes = self.body(EntryChange)
        self.change(
            found,
            lambda: self.render(found, find_entry(found, number)),
            lambda: self.apply(found, number, changes),
        )
        return self.answer(found, number)

    def apply(self, found: Competition, number: int, changes: dict[str, Any]) -> None:
        """Make the changes of an entry."""
        league, slug, by = found.league_id, found.slug, self.viewer.name
        details = {name: value for name, value in changes.items() if name not in ("checked_in", "confirm")}
        if details:
            change_entry(league, slug, number, details, by=by, confirmed=changes["confirm"])
        if "checked_in" in changes:
            check_in(league, slug, [number], by=by, present=changes["checked_in"])

    def answer(self, competition: Competition, number: int) -> Response:
        """Return the response for a stored entry, with its ETag."""
        body = self.render(competition, find_entry(competition, number))
        return Response(body, headers={"ETag": compute_etag(body)})
