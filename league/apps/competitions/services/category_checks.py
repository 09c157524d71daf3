"""Checks of categories, prizes and what is known of a person, and their forms as they are stored."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import MAX_RATING
from league.core.errors import Problem, build_pointer
from league.core.text.names import is_storable
from ratings.standings.prizes import SHARINGS

SEXES = ("m", "w")
MIN_YEAR, MAX_YEAR = 1900, 2100
MAX_OWN, MAX_FACT, MAX_CATEGORIES, MAX_PRIZES, MAX_CURRENCY = 10, 60, 30, 200, 10
#: The most that a prize gives, in cents.
MAX_AMOUNT = 100_000_000
KEY = re.compile(r"[a-z][a-z0-9_-]{0,29}")
AMOUNT = re.compile(r"\d{1,7}(?:[.,]\d{1,2})?", re.ASCII)
BANDS = {"born": (MIN_YEAR, MAX_YEAR), "rating": (0, MAX_RATING)}
BOUNDS = {f"{name}_{end}": limits for name, limits in BANDS.items() for end in ("from", "to")}
#: Facts that are conditions of their own, not below “own”.
OWN_CONDITIONS = ("sex", "born", "club")


def find_about_problems(prefix: str, about: Any) -> Iterator[Problem]:
    """Yield the problems of what is known of a person: sex, born, club and own facts."""
    pointer = f"{prefix}/about"
    if not isinstance(about, Mapping):
        yield Problem(pointer, "invalid", _("This is an object of facts such as sex, born and club."))
        return
    if len(about) > MAX_OWN:
        yield Problem(pointer, "too_many", _("There are at most {limit} facts.").format(limit=MAX_OWN))
    for name, value in about.items():
        yield from _find_fact_problems(f"{pointer}{build_pointer(name)}", name, value)


def _find_fact_problems(pointer: str, name: str, value: Any) -> Iterator[Problem]:
    if name == "sex":
        if value not in SEXES:
            yield Problem(pointer, "invalid", _("This is m or w."))
    elif name == "born":
        yield from _find_bound_problems(pointer, value, MIN_YEAR, MAX_YEAR)
    elif not KEY.fullmatch(name):
        yield Problem(pointer, "invalid", _("A name has letters a to z, digits, - and _, and begins with a letter."))
    elif not _is_text(value):
        yield Problem(pointer, "invalid", _("This is a text of at most {limit} characters.").format(limit=MAX_FACT))


def _find_bound_problems(pointer: str, value: Any, low: int, high: int) -> Iterator[Problem]:
    if type(value) is not int or not low <= value <= high:
        template = _("This is a whole number from {low} to {high}.")
        yield Problem(pointer, "out_of_bounds", template.format(low=low, high=high))


def _is_text(value: Any) -> bool:
    return (
        isinstance(value, str) and 0 < len(value.strip()) <= MAX_FACT and len(value) <= MAX_FACT and is_storable(value)
    )


def normalize_about(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts as they are stored."""
    return {name: value.strip() if isinstance(value, str) else value for name, value in sorted(about.items())}


def find_category_problems(categories: Any) -> Iterator[Problem]:
    """Yield the problems of the categories, such as conditions that nobody can meet."""
    if not _is_list_of_objects(categories) or len(categories) > MAX_CATEGORIES:
        template = _("Categories are a list of at most {limit}, each with key, title and conditions.")
        yield Problem("/categories", "invalid", template.format(limit=MAX_CATEGORIES))
        return
    seen: set[Any] = set()
    for index, one in enumerate(categories):
        pointer = build_pointer("categories", index)
        key = one.get("key")
        if not isinstance(key, str) or not KEY.fullmatch(key):
            message = _("A key has letters a to z, digits, - and _, and begins with a letter.")
            yield Problem(f"{pointer}/key", "invalid", message)
        elif key in seen:
            yield Problem(f"{pointer}/key", "twice", _("There are two categories {key}.").format(key=key))
        else:
            seen.add(key)
        if not _is_text(one.get("title")):
            template = _("This is a text of at most {limit} characters.")
            yield Problem(f"{pointer}/title", "invalid", template.format(limit=MAX_FACT))
        yield from _find_condition_problems(pointer, one)


def _find_condition_problems(pointer: str, one: Mapping[str, Any]) -> Iterator[Problem]:
    found = {name: one[name] for name in one if name not in ("key", "title")}
    problems = [one for name, value in found.items() for one in _find_one_condition_problems(pointer, name, value)]
    yield from problems
    if problems:
        return
    if not found or found == {"own": {}}:
        yield Problem(pointer, "no_condition", _("A category needs a condition; everyone would belong to it."))
    for name in BANDS:
        low, high = (found.get(f"{name}_{end}") for end in ("from", "to"))
        if low is not None and high is not None and low > high:
            message = _("Nobody can belong to this category: its lower bound is above its upper one.")
            yield Problem(f"{pointer}/{name}_to", "out_of_order", message)


def _find_one_condition_problems(pointer: str, name: str, value: Any) -> Iterator[Problem]:
    pointer = f"{pointer}{build_pointer(name)}"
    if name in BOUNDS:
        yield from _find_bound_problems(pointer, value, *BOUNDS[name])
    elif name in ("sex", "club"):
        yield from _find_fact_problems(pointer, name, value)
    elif name != "own":
        yield Problem(pointer, "unknown_field", _("There is no condition “{name}”.").format(name=name))
    elif not isinstance(value, Mapping):
        yield Problem(pointer, "invalid", _("This is an object of own facts."))
    else:
        for fact, text in value.items():
            if fact in OWN_CONDITIONS:
                message = _("This is a condition of its own, not below “own”.")
                yield Problem(f"{pointer}{build_pointer(fact)}", "invalid", message)
            else:
                yield from _find_fact_problems(f"{pointer}{build_pointer(fact)}", fact, text)


def find_prize_problems(prizes: Any, keys: Collection[str]) -> Iterator[Problem]:
    """Yield the problems of the prizes; ``keys``: those of the categories."""
    if not isinstance(prizes, Mapping):
        yield Problem("/prizes", "invalid", _("Prizes are an object with sharing, one_each, currency and list."))
        return
    for name in prizes:
        if name not in ("sharing", "one_each", "currency", "list"):
            template = _("There is no setting “{name}” of prizes.")
            yield Problem(f"/prizes{build_pointer(name)}", "unknown_field", template.format(name=name))
    if prizes.get("sharing", "place") not in SHARINGS:
        text = _("Prizes are shared as one of: {known}.").format(known=", ".join(SHARINGS))
        yield Problem("/prizes/sharing", "invalid", text)
    if not isinstance(prizes.get("one_each", True), bool):
        yield Problem("/prizes/one_each", "invalid", _("This must be true or false."))
    currency = prizes.get("currency", "")
    if not isinstance(currency, str) or len(currency) > MAX_CURRENCY or not is_storable(currency):
        yield Problem(
            "/prizes/currency", "invalid", _("This is a text of at most {limit} characters.").format(limit=10)
        )
    listed = prizes.get("list", [])
    if not _is_list_of_objects(listed) or len(listed) > MAX_PRIZES:
        template = _("The list has at most {limit} prizes, each with category, place, amount and thing.")
        yield Problem("/prizes/list", "invalid", template.format(limit=MAX_PRIZES))
        return
    problems = [problem for index, one in enumerate(listed) for problem in _find_one_problems(index, one, keys)]
    yield from problems or _find_order_problems(listed)


def _find_one_problems(index: int, one: Mapping[str, Any], keys: Collection[str]) -> Iterator[Problem]:
    pointer = build_pointer("prizes", "list", index)
    for name in one:
        if name not in ("category", "place", "amount", "thing"):
            template = _("A prize has no “{name}”.")
            yield Problem(f"{pointer}{build_pointer(name)}", "unknown_field", template.format(name=name))
    category = one.get("category", "")
    if category != "" and category not in keys:
        template = _("Nobody can win this prize: there is no category “{key}”.")
        yield Problem(f"{pointer}/category", "unknown_category", template.format(key=category))
    yield from _find_bound_problems(f"{pointer}/place", one.get("place"), 1, MAX_PRIZES)
    amount, thing = read_amount(one.get("amount", 0)), one.get("thing", "")
    if amount is None:
        template = _("An amount is a number of at most {limit} with two decimals at most.")
        yield Problem(f"{pointer}/amount", "invalid", template.format(limit=MAX_AMOUNT // 100))
    if thing != "" and not _is_text(thing):
        template = _("This is a text of at most {limit} characters.")
        yield Problem(f"{pointer}/thing", "invalid", template.format(limit=MAX_FACT))
    elif amount == 0 and not thing:
        yield Problem(pointer, "empty", _("A prize is an amount, a thing, or both."))


def _find_order_problems(listed: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    """Yield the problems of places: two prizes of one, none of one before, and more for a later one."""
    places: dict[str, dict[int, int]] = {}
    for index, one in enumerate(listed):
        amounts = places.setdefault(one.get("category", ""), {})
        if one["place"] in amounts:
            template = _("There are two prizes for place {place}.")
            pointer = build_pointer("prizes", "list", index, "place")
            yield Problem(pointer, "twice", template.format(place=one["place"]))
        amounts[one["place"]] = read_amount(one.get("amount", 0)) or 0
    for index, one in enumerate(listed):
        amounts, place = places[one.get("category", "")], one["place"]
        pointer = build_pointer("prizes", "list", index)
        if place > 1 and place - 1 not in amounts:
            template = _("There is a prize for place {place}, but none for place {before}.")
            yield Problem(f"{pointer}/place", "gap", template.format(place=place, before=place - 1))
        elif place > 1 and amounts[place] > amounts[place - 1]:
            template = _("Place {place} must not give more than place {before}.")
            yield Problem(f"{pointer}/amount", "out_of_order", template.format(place=place, before=place - 1))


def read_amount(value: Any) -> int | None:
    """Return an amount in cents, None if it is none: a number, or a text such as 12.50."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = value.strip() if isinstance(value, str) else str(value)
    if not AMOUNT.fullmatch(text):
        return None
    whole, _point, cents = text.replace(",", ".").partition(".")
    found = int(whole) * 100 + int(cents.ljust(2, "0") or 0)
    return found if found <= MAX_AMOUNT else None


def write_amount(cents: int) -> str:
    """Return an amount as it is stored: 12.50."""
    return f"{cents // 100}.{cents % 100:02}"


def normalize_categories(categories: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return categories as they are stored."""
    return [{name: value for name, value in one.items() if value != {}} for one in categories]


def normalize_prizes(prizes: Mapping[str, Any]) -> dict[str, Any]:
    """Return prizes as they are stored, whole, in the order of the categories; {} without prizes."""
    listed = [
        {
            "category": one.get("category", ""),
            "place": one["place"],
            "amount": write_amount(read_amount(one.get("amount", 0)) or 0),
            "thing": one.get("thing", "").strip(),
        }
        for one in prizes.get("list", ())
    ]
    rules = {
        "sharing": prizes.get("sharing", "place"),
        "one_each": prizes.get("one_each", True),
        "currency": prizes.get("currency", "").strip(),
    }
    return {**rules, "list": sorted(listed, key=lambda one: one["place"])} if listed else {}


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, Mapping) for one in value)
