"""The orders of rating lists that an organiser chooses from, as sentences."""

from collections.abc import Mapping, Sequence
from itertools import permutations

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.rating_order import list_fitting_keys, propose_lists
from league.core.players.listed_people import RATING_KINDS, RatingListState

Choice = Competition.RatingChoice
KIND_TITLES = {
    "standard": pgettext_lazy("kind of a rating", "Standard"),
    "rapid": pgettext_lazy("kind of a rating", "Rapid"),
    "blitz": pgettext_lazy("kind of a rating", "Blitz"),
}
#: Lists more than these are not put in pairs; the API takes any order.
MAX_PAIRED = 4


def describe_list(key: str, states: Sequence[RatingListState]) -> str:
    """Return the name of a list: FIDE, rapid."""
    provider, _colon, kind = key.partition(":")
    titles = {one.provider: one.title for one in states}
    return f"{titles.get(provider, provider.upper())} {str(KIND_TITLES.get(kind, kind)).lower()}"


def describe_order(lists: Sequence[str], choice: str, states: Sequence[RatingListState]) -> str:
    """Return lists in their order as a sentence, "" for none."""
    parts: dict[str, str] = {}
    for key in lists:
        name = describe_list(key, states)
        group = key.partition(":")[0] if choice == Choice.HIGHEST else ""
        before = parts.get(group)
        parts[group] = _("{first}, else {second}").format(first=before, second=name) if before else name
    if choice != Choice.HIGHEST or len(parts) < 2:
        return ", ".join(parts.values())
    return _("The highest of: {ratings}").format(ratings="; ".join(parts.values()))


def write_order(lists: Sequence[str], choice: str) -> str:
    """Return an order as the value of a choice, "" for the proposed one."""
    return " ".join([choice, *lists]) if lists else ""


def read_order(value: str) -> dict[str, object]:
    """Return the settings of a chosen order."""
    choice, *lists = value.split() or [Choice.FIRST.value]
    return {"rating_lists": lists, "rating_choice": choice}


def list_order_choices(
    competition: Competition, states: Sequence[RatingListState]
) -> list[tuple[str | Promise, str | list[tuple[str, str]]]]:
    """Return the orders to choose from, by kind of rating; that which is in force is one of them."""
    proposed = describe_order(propose_lists(competition, states), competition.rating_choice, states)
    choices: list[tuple[str | Promise, str | list[tuple[str, str]]]] = []
    # If no list was loaded at the start, none is stored.
    if competition.status in (Competition.Status.DRAFT, Competition.Status.OPEN) or not competition.rating_lists:
        choices.append(("", _("As proposed: {order}").format(order=proposed or _("no list"))))
    known: set[str] = set()
    for kind in RATING_KINDS:
        orders = {write_order(*one): describe_order(*one, states) for one in _list_orders(kind, states)}
        choices.append((KIND_TITLES[kind], [*orders.items()]))
        known |= orders.keys()
    stored = write_order(competition.rating_lists, competition.rating_choice)
    if stored not in ("", *known):
        choices.append((stored, describe_order(competition.rating_lists, competition.rating_choice, states)))
    return choices


def _list_orders(kind: str, states: Sequence[RatingListState]) -> list[tuple[list[str], str]]:
    """Return the orders of one list, of two in both orders, and the highest of two."""
    keys: Mapping[str, list[str]] = {one.provider: list_fitting_keys(one.provider, kind) for one in states}
    orders = [(one, Choice.FIRST.value) for one in keys.values()]
    for first, second in permutations([*keys][:MAX_PAIRED], 2):
        orders.append((keys[first] + keys[second], Choice.FIRST.value))
        if first < second:
            orders.append((keys[first] + keys[second], Choice.HIGHEST.value))
    return orders
