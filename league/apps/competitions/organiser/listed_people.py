"""The page of rating lists: look somebody up and enter them, and compare ratings with the lists."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.organiser.entries import may_add_entries
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.organiser.rating_orders import KIND_TITLES, describe_list, describe_order
from league.apps.competitions.selectors.competition_data import build_entry_name, load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.listed_people import (
    PersonProposal,
    count_listed,
    find_list_day,
    is_outdated,
    list_entered,
    propose_people,
)
from league.apps.competitions.selectors.rating_order import get_lists
from league.apps.competitions.services.entry_checks import find_entry
from league.apps.competitions.services.listed_entries import (
    ListedChoice,
    ListedRatings,
    RatingDifference,
    TakenRating,
    add_listed_entries,
    find_listed_ratings,
    find_rating_differences,
    identify_entry,
    take_listed_ratings,
)
from league.core.errors import Refused, RungsError
from league.core.players.listed_people import (
    RATING_KINDS,
    ListedPerson,
    RatingListState,
    SourcedRating,
    list_rating_lists,
    search_people,
)
from league.models import League
from league.web.organiser.forms import get_form_key, get_request_username, parse_whole_number, run_once
from league.web.organiser.previewed_actions import offer_undo, pop_undo
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of

#: People shown of a search; letters after which it begins.
MAX_FOUND, MIN_LETTERS = 20, 3
#: A list and the rating of a person in it, to choose from: key, text.
Options = list[tuple[str, str]]


class ListedLine(NamedTuple):
    """A person found: each kind with its rating, and which entry has the person.

    ``namesake``: whether an entry without an id is called alike, and may be the person.
    ``used``: the rating that an entry gets; ``options``: those to choose from if none of the competition's lists has
    one.
    """

    person: ListedPerson
    ratings: list[tuple[str, int | None]]
    entry: int | None
    namesake: bool
    used: str
    options: Options


class ProposalLine(NamedTuple):
    """A person who may be an entry; ``rating``: that which the entry would get, or the person's only one."""

    proposal: PersonProposal
    rating: SourcedRating | None


class UsedList(NamedTuple):
    """A list that is compared, and whether it was loaded too long ago."""

    state: RatingListState
    is_outdated: bool


class DifferenceLine(NamedTuple):
    """An entry with another rating than its lists have; ``options``: to choose from if none of its lists has one."""

    name: str
    difference: RatingDifference
    options: Options


@organiser_page("arbitrate")
def show_listed_people(request: HttpRequest, league: League, competition: str) -> HttpResponse:
    """Show who is found and whose rating differs; enter a person, or take the ratings of the lists."""
    found = find_competition(league, competition, for_organisers=True)
    if request.method == "POST":
        return _change(request, league, found)
    loaded = load_competition(found)
    text = request.GET.get("q", "").strip()
    entered, states, lists = list_entered(loaded), list_rating_lists(), get_lists(found)
    day = find_list_day(found, loaded.now)
    used = list_rating_lists(day)
    # First the arbiter says that the lists are current.
    compares = "compare" in request.GET
    differences = find_rating_differences(loaded) if compares else []
    listed, total = count_listed(loaded) if compares else (0, 0)
    proposed = propose_people(loaded)
    namesakes = {(one.person.provider, one.person.number) for one in proposed}
    lines = _find(found, text, entered, namesakes, lists, states) if len(text) >= MIN_LETTERS else []
    proposals = [_build_proposal_line(found, one, lists) for one in proposed]
    return show(
        request,
        league,
        "apps/competitions/organiser/listed_people.html",
        "competitions",
        **build_frame(request, loaded),
        lists=[UsedList(one, is_outdated(found, one)) for one in used],
        day=day,
        unkept=[one for one in states if one.provider not in {state.provider for state in used}],
        compares=compares,
        listed=listed,
        total=total,
        has_lists=bool(states),
        order=describe_order(lists, found.rating_choice, states),
        kind=lists[0].partition(":")[2] if lists else RATING_KINDS[0],
        kinds=[(name, KIND_TITLES[name]) for name, _rating in lines[0].ratings] if lines else [],
        q=text,
        is_short=bool(text) and len(text) < MIN_LETTERS,
        found=lines,
        differences=[
            DifferenceLine(loaded.name(one.entry), one, _list_options(one.ratings, states)) for one in differences
        ],
        cannot_add=_explain_closed_entries(found),
        any_entered=any(line.entry or line.namesake for line in lines),
        proposals=proposals,
        may_identify=viewer_of(request).may("organise", league),
        undo=pop_undo(request, league),
        once=get_form_key(request),
    )


def _explain_closed_entries(competition: Competition) -> str:
    """Return why people who are found cannot be entered, "" if they can."""
    if not may_add_entries(competition):
        return _("Entries are closed: nobody can be entered here any more. The ratings can be looked up.")
    if competition.sides_of > 1:
        return _("Sides are entered on the page of entries. Here the ratings of people can be looked up.")
    return ""


def _find(
    competition: Competition,
    text: str,
    entered: Mapping[tuple[str, str], int],
    namesakes: Collection[tuple[str, str]],
    lists: Sequence[str],
    states: Sequence[RatingListState],
) -> list[ListedLine]:
    lines = []
    people = search_people(text, MAX_FOUND)
    # A kind of rating that nobody found has is no column.
    kinds = [kind for kind in RATING_KINDS if any(kind in person.ratings for person in people)]
    for person in people:
        ratings = find_listed_ratings(competition, [person], lists)
        values = [(kind, person.ratings[kind].rating if kind in person.ratings else None) for kind in kinds]
        key = (person.provider, person.number)
        used = describe_list(ratings.chosen.list_key, states) if ratings.chosen else ""
        options = _list_options(ratings, states)
        lines.append(ListedLine(person, values, entered.get(key), key in namesakes, used, options))
    return lines


def _build_proposal_line(competition: Competition, proposal: PersonProposal, lists: Sequence[str]) -> ProposalLine:
    ratings = find_listed_ratings(competition, [proposal.person], lists)
    return ProposalLine(proposal, next(iter(ratings.choices), None))


def _list_options(ratings: ListedRatings, states: Sequence[RatingListState]) -> Options:
    """Return the ratings of other lists if the competition's lists have none."""
    if ratings.chosen:
        return []
    return [(one.list_key, f"{describe_list(one.list_key, states)}: {one.rating}") for one in ratings.others]


def _change(request: HttpRequest, league: League, competition: Competition) -> HttpResponse:
    """Enter the chosen person, say who an entry is, or take the ratings of the ticked entries."""
    actions = {"_enter": _enter, "_is": _identify, "_is_not": _identify}
    take = next((action for name, action in actions.items() if name in request.POST), _take_ratings)
    try:
        messages.success(request, take(request, league, competition))
    except RungsError as error:
        add_error_message(request, error)
    address = reverse("desk:listed_people", args=[league.slug, competition.slug])
    compares = take is _take_ratings or (take is _identify and "compare" in request.GET)
    return HttpResponseRedirect(f"{address}?compare=1" if compares else address)


def _enter(request: HttpRequest, league: League, competition: Competition) -> str:
    id_text = request.POST["_enter"]
    choice = ListedChoice.read(id_text, list_key=request.POST.get(f"list-{id_text}", ""))

    def enter() -> dict[str, Any]:
        (entry,), warnings = add_listed_entries(
            league.pk, competition.slug, [choice], by=get_request_username(request), viewer=viewer_of(request)
        )
        waits = entry.status == Entry.Status.WAITING
        return {"name": build_entry_name(entry), "waits": waits, "warning": " ".join(warnings)}

    answer = run_once(request, enter).answer
    template = _("{name} is on the waiting list.") if answer["waits"] else _("{name} is entered.")
    return f"{template.format(name=answer['name'])} {answer['warning']}".strip()


def _identify(request: HttpRequest, league: League, competition: Competition) -> str:
    """Give an entry the id of a person, or take it away again; the first can be undone."""
    is_same = "_is" in request.POST
    chosen = request.POST["_is" if is_same else "_is_not"]
    number, _space, id_text = chosen.partition(" ")
    entry = find_entry(competition, parse_whole_number(number, 4) or 0)

    def identify() -> dict[str, Any]:
        by, viewer = get_request_username(request), viewer_of(request)
        identify_entry(entry, id_text, is_same=is_same, by=by, viewer=viewer)
        return {}

    run_once(request, identify)
    if is_same:
        address = reverse("desk:listed_people", args=[league.slug, competition.slug])
        offer_undo(request, league, address, fields={"_is_not": chosen})
    template = _("{name} has the ID {number} now.") if is_same else _("{name} does not have the ID {number} any more.")
    return template.format(name=build_entry_name(entry), number=id_text)


def _take_ratings(request: HttpRequest, league: League, competition: Competition) -> str:
    ticked = dict.fromkeys(parse_whole_number(text, 4) for text in request.POST.getlist("entry"))
    if not ticked:
        raise Refused(_("Tick at least one entry."))
    # Who is offered the lists that have a rating may be left without one.
    lists = {number: request.POST.get(f"list-{number}") for number in ticked if number is not None}
    wanted = [TakenRating(number, list_key or "") for number, list_key in lists.items() if list_key != ""]

    def take_ratings() -> dict[str, Any]:
        by = get_request_username(request)
        return {"count": take_listed_ratings(league.pk, competition.slug, wanted, by=by)}

    count = run_once(request, take_ratings).answer["count"]
    if not count:
        return pgettext("ratings of a list", "Nothing was changed.")
    template = ngettext("{count} rating was taken from the list.", "{count} ratings were taken from the list.", count)
    return template.format(count=count)
