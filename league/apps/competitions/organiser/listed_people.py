"""The page of rating lists: look somebody up and enter them, and compare ratings with the lists."""

from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext, pgettext_lazy

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.organiser.entries import may_add_entries
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.selectors.competition_data import LoadedCompetition, build_entry_name, load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.services.listed_entries import (
    ListedChoice,
    RatingDifference,
    add_listed_entry,
    find_rating_differences,
    take_listed_ratings,
)
from league.core.errors import RungsError
from league.core.players.listed_people import (
    RATING_KINDS,
    ListedPerson,
    list_rating_lists,
    look_up_people,
    search_people,
)
from league.core.players.selectors.external_ids import load_external_ids
from league.models import League
from league.web.organiser.forms import get_form_key, get_request_username, parse_whole_number, run_once
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of

KIND_TITLES = {
    "standard": pgettext_lazy("kind of a rating", "Standard"),
    "rapid": pgettext_lazy("kind of a rating", "Rapid"),
    "blitz": pgettext_lazy("kind of a rating", "Blitz"),
}
#: People shown of a search; letters after which it begins.
MAX_FOUND, MIN_LETTERS = 20, 3


class ListedLine(NamedTuple):
    """A person found: each kind with its rating, and the number of the entry that has the person."""

    person: ListedPerson
    ratings: list[tuple[str, int | None]]
    entry: int | None


class DifferenceLine(NamedTuple):
    """An entry with another rating than its list."""

    name: str
    difference: RatingDifference


@organiser_page("arbitrate")
def show_listed_people(request: HttpRequest, league: League, competition: str) -> HttpResponse:
    """Show who is found and whose rating differs; enter a person, or take the ratings of the lists."""
    found = find_competition(league, competition, for_organisers=True)
    kind = _read_kind(request)
    if request.method == "POST":
        return _change(request, league, found, kind)
    loaded = load_competition(found)
    text = request.GET.get("q", "").strip()
    entered = _list_entered(loaded)
    differences = find_rating_differences(found, _look_up_entered(entered), kind)
    return show(
        request,
        league,
        "apps/competitions/organiser/listed_people.html",
        "competitions",
        **build_frame(request, loaded),
        lists=list_rating_lists(),
        kind=kind,
        kinds=[(name, KIND_TITLES[name]) for name in RATING_KINDS],
        q=text,
        is_short=bool(text) and len(text) < MIN_LETTERS,
        found=_find(text, entered),
        differences=[DifferenceLine(loaded.name(one.entry), one) for one in differences],
        may_add=may_add_entries(found) and found.sides_of == 1,
        once=get_form_key(request),
    )


def _read_kind(request: HttpRequest) -> str:
    kind = (request.POST if request.method == "POST" else request.GET).get("kind", "")
    return kind if kind in RATING_KINDS else RATING_KINDS[0]


def _list_entered(loaded: LoadedCompetition) -> dict[tuple[str, str], int]:
    """Return provider and id of the players of single entries -> number of the entry."""
    of_player = {entry.survivors[0].pk: number for number, entry in loaded.entries.items() if len(entry.survivors) == 1}
    ids = load_external_ids(of_player) if of_player else {}
    return {(provider, number): of_player[player] for player, own in ids.items() for provider, number in own.items()}


def _look_up_entered(entered: dict[tuple[str, str], int]) -> dict[int, ListedPerson]:
    """Return entry -> its person in a list in use; the first provider by name counts."""
    people: dict[int, ListedPerson] = {}
    for provider in sorted({provider for provider, _number in entered}, reverse=True):
        numbers = {number: entry for (one, number), entry in entered.items() if one == provider}
        people |= {numbers[number]: person for number, person in look_up_people(provider, numbers).items()}
    return people


def _find(text: str, entered: dict[tuple[str, str], int]) -> list[ListedLine]:
    if len(text) < MIN_LETTERS:
        return []
    return [
        ListedLine(
            person,
            [(kind, person.ratings[kind].rating if kind in person.ratings else None) for kind in RATING_KINDS],
            entered.get((person.provider, person.number)),
        )
        for person in search_people(text, MAX_FOUND)
    ]


def _change(request: HttpRequest, league: League, competition: Competition, kind: str) -> HttpResponse:
    """Enter the chosen person, or take the ratings of the ticked entries."""
    try:
        text = (
            _enter(request, league, competition, kind)
            if "_enter" in request.POST
            else _take_ratings(request, league, competition, kind)
        )
        messages.success(request, text)
    except RungsError as error:
        add_error_message(request, error)
    address = reverse("desk:listed_people", args=[league.slug, competition.slug])
    return HttpResponseRedirect(f"{address}?kind={kind}")


def _enter(request: HttpRequest, league: League, competition: Competition, kind: str) -> str:
    provider, _colon, number = request.POST["_enter"].partition(":")

    def enter() -> dict[str, Any]:
        entry = add_listed_entry(
            league.pk, competition.slug, ListedChoice(provider, number, kind),
            by=get_request_username(request), viewer=viewer_of(request),
        )  # fmt: skip
        return {"name": build_entry_name(entry), "waits": entry.status == Entry.Status.WAITING}

    answer = run_once(request, enter).answer
    template = _("{name} is on the waiting list.") if answer["waits"] else _("{name} is entered.")
    return template.format(name=answer["name"])


def _take_ratings(request: HttpRequest, league: League, competition: Competition, kind: str) -> str:
    ticked = {parse_whole_number(text, 4) for text in request.POST.getlist("entry")}
    people = _look_up_entered(_list_entered(load_competition(competition)))
    chosen = [one for one in find_rating_differences(competition, people, kind) if one.entry in ticked]

    def take_ratings() -> dict[str, Any]:
        return {"count": take_listed_ratings(league.pk, competition.slug, chosen, by=get_request_username(request))}

    count = run_once(request, take_ratings).answer["count"]
    if not count:
        return pgettext("ratings of a list", "Nothing was changed.")
    template = ngettext("{count} rating was taken from the list.", "{count} ratings were taken from the list.", count)
    return template.format(count=count)
