"""The forms of categories and prizes: a row for each category, and the prizes of a list as one text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.apps.competitions.models import MAX_RATING, Competition
from league.apps.competitions.public.awards import ONE_EACH, SHARINGS
from league.apps.competitions.services.category_checks import (
    MAX_CATEGORIES,
    MAX_CURRENCY,
    MAX_FACT,
    MAX_YEAR,
    MIN_YEAR,
)
from league.core.errors import Problem
from ratings.forms import WholeField

SEXES = [
    ("", pgettext_lazy("sex", "any")),
    ("w", pgettext_lazy("sex", "female")),
    ("m", pgettext_lazy("sex", "male")),
]
#: A prize as it is typed: an amount, a thing, or both.
ONE_PRIZE = re.compile(r"(?P<amount>\d{1,7}(?:[.,]\d{1,2})?)?\s*(?P<thing>.*)", re.ASCII)
MAX_TEXT = 2000


def write_prizes(prizes: Mapping[str, Any], category: str) -> str:
    """Return the prizes of a list as they are typed, a line for each place: 100, 50 Clock, Book."""
    found = [one for one in prizes.get("list", ()) if one["category"] == category]
    return "\n".join(f"{one['amount'].removesuffix('.00')} {one['thing']}".removeprefix("0 ").strip() for one in found)


def read_prizes(text: str, category: str) -> list[dict[str, Any]]:
    """Return the prizes of a list from the first place on; a line, or a semicolon, ends each."""
    pieces = [piece.strip() for piece in re.split("[;\n]", text)]
    while pieces and not pieces[-1]:
        pieces.pop()
    matches = [ONE_PRIZE.fullmatch(" ".join(piece.split())) for piece in pieces]
    return [
        {
            "category": category,
            "place": place,
            "amount": (match and match["amount"]) or "0",
            "thing": match["thing"] if match else "",
        }
        for place, match in enumerate(matches, start=1)
    ]


class PrizesForm(forms.Form):
    """The prizes of the whole competition, and how all are shared."""

    prizes = forms.CharField(
        label=gettext_lazy("Prizes of the whole competition"),
        required=False,
        max_length=MAX_TEXT,
        help_text=gettext_lazy("A line for each place from the first on, such as 100, 50 Clock or Book."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    sharing = forms.ChoiceField(label=gettext_lazy("Equal points"), choices=[*SHARINGS.items()])
    one_each = forms.BooleanField(label=ONE_EACH, required=False)
    currency = forms.CharField(label=gettext_lazy("Currency"), required=False, max_length=MAX_CURRENCY)
    field_order = ("prizes", "sharing", "currency", "one_each")

    def __init__(self, competition: Competition, data: Any = None) -> None:
        prizes = competition.prizes
        rules = {name: prizes.get(name, usual) for name, usual in USUAL.items()}
        super().__init__(data, initial={**rules, "prizes": write_prizes(prizes, "")})


USUAL: dict[str, Any] = {"sharing": "place", "one_each": True, "currency": ""}


class CategoryForm(forms.Form):
    """A category with its conditions and prizes; without a title there is none."""

    key = forms.CharField(required=False, max_length=30, widget=forms.HiddenInput)
    title = forms.CharField(label=pgettext_lazy("a category", "Category"), required=False, max_length=MAX_FACT)
    sex = forms.ChoiceField(label=gettext_lazy("Sex"), choices=SEXES, required=False)
    born_from = WholeField(
        label=gettext_lazy("Born in or after"), required=False, min_value=MIN_YEAR, max_value=MAX_YEAR
    )
    born_to = WholeField(
        label=gettext_lazy("Born in or before"), required=False, min_value=MIN_YEAR, max_value=MAX_YEAR
    )
    club = forms.CharField(label=gettext_lazy("Club"), required=False, max_length=MAX_FACT)
    rating_from = WholeField(label=gettext_lazy("Rating from"), required=False, min_value=0, max_value=MAX_RATING)
    rating_to = WholeField(label=gettext_lazy("Rating to"), required=False, min_value=0, max_value=MAX_RATING)
    own_name = forms.CharField(
        label=gettext_lazy("Own fact"), required=False, max_length=30, help_text=gettext_lazy("Such as school.")
    )
    own_value = forms.CharField(label=gettext_lazy("Its value"), required=False, max_length=MAX_FACT)
    prizes = forms.CharField(
        label=gettext_lazy("Prizes"),
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def build_category(self, taken: Iterable[str]) -> dict[str, Any]:
        """Return the category; a new one gets a key from its title."""
        data = self.cleaned_data
        key = data["key"] or choose_key(data["title"], set(taken))
        conditions = ("sex", "born_from", "born_to", "club", "rating_from", "rating_to")
        own = {data["own_name"]: data["own_value"]} if data["own_name"] else {}
        found = {name: data[name] for name in conditions if data[name] not in ("", None)}
        return {"key": key, "title": data["title"], **found, **({"own": own} if own else {})}


CategoryForms = forms.formset_factory(CategoryForm, extra=1, max_num=MAX_CATEGORIES, validate_max=True)


def choose_key(title: str, taken: set[str]) -> str:
    """Return a key of letters and digits that no other category has."""
    base = re.sub(r"^[^a-z]+", "", slugify(title))[:20] or "category"
    return next(key for key in (base, *(f"{base}-{number}" for number in range(2, 1000))) if key not in taken)


def build_category_forms(competition: Competition, data: Any = None) -> Any:
    """Return the rows of the categories, and an empty one."""
    initial: Sequence[dict[str, Any]] = [
        {
            **{name: value for name, value in one.items() if name != "own"},
            **dict(zip(("own_name", "own_value"), next(iter(one.get("own", {}).items()), ("", "")), strict=True)),
            "prizes": write_prizes(competition.prizes, one["key"]),
        }
        for one in competition.categories
    ]
    return CategoryForms(data, initial=initial, prefix="category")


def build_settings(form: PrizesForm, rows: Any) -> dict[str, Any]:
    """Return categories and prizes for the service."""
    categories: list[dict[str, Any]] = []
    listed = read_prizes(form.cleaned_data["prizes"], "")
    for row in rows:
        if row.cleaned_data.get("title"):
            category = row.build_category([one["key"] for one in categories])
            categories.append(category)
            listed += read_prizes(row.cleaned_data["prizes"], category["key"])
    rules = {name: form.cleaned_data[name] for name in USUAL}
    return {"categories": categories, "prizes": {**rules, "list": listed}}


def add_problems(form: PrizesForm, rows: Any, problems: Iterable[Problem], settings: Mapping[str, Any]) -> None:
    """Add each problem to the field that it is about, and to the head of the page with the category, or the prize."""
    named = [row for row in rows if row.cleaned_data.get("title")]
    keys = [one["key"] for one in settings["categories"]]
    for problem in problems:
        _empty, name, *path = problem.pointer.split("/")
        if name == "categories" and path:
            row, condition = named[int(path[0])], "/".join(path[1:2])
            title = settings["categories"][int(path[0])]["title"]
            # Own facts have two fields; a category without a condition is told at its name.
            field = "own_name" if condition == "own" else condition
            row.add_error(field if field in row.fields and field != "key" else "title", problem.detail)
            form.add_error(None, f"{title}: {problem.detail}")
        elif name == "prizes" and len(path) > 1:
            one = settings["prizes"]["list"][int(path[1])]
            at = keys.index(one["category"]) if one["category"] else None
            title = _("The whole competition") if at is None else settings["categories"][at]["title"]
            (form if at is None else named[at]).add_error("prizes", f"{one['place']}: {problem.detail}")
            form.add_error(None, f"{title}, {one['place']}: {problem.detail}")
        else:
            form.add_error(path[0] if path and path[0] in form.fields else None, problem.detail)
