"""Prizes on pages: who wins what, by the standings as they are or as an edition has them."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.category_checks import read_amount
from league.core.text.display_formats import format_amount, format_ordinal
from ratings.standings.prizes import Award, Awards

#: Why nobody gets a prize.
REASONS = {
    "empty": gettext_lazy("nobody belongs to this category"),
    "few": gettext_lazy("fewer belong to this category"),
    "taken": gettext_lazy("all others have a prize that is worth more"),
}


#: How the money of equal points is shared.
SHARINGS = {
    "place": gettext_lazy("By places; equal ranks share"),
    "equal": gettext_lazy("Equal points share equally"),
    "hort": gettext_lazy("Hort: half by place, half shared"),
}
#: The most prizes that the overview names before it leads to the others.
MAX_FIRST_PRIZES = 3
ONE_EACH = gettext_lazy("One prize a person, the one that is worth most")


class AwardLine(NamedTuple):
    """What an entry gets. ``amount``: with the currency; ``undecided``: a lot says who of a rank gets the thing."""

    place: int
    name: str
    amount: str
    thing: str
    shared_by: int
    undecided: bool


class AwardTable(NamedTuple):
    """The awards of a list, and the places that nobody wins, each with the reason. ``members``: None for all.

    ``passed``: sentences about prizes that pass on, as whom they would go to has another one.
    """

    title: str
    members: int | None
    lines: list[AwardLine]
    unwon: list[tuple[int, Any]]
    passed: list[str]


def build_award_tables(
    loaded: LoadedCompetition, awards: Awards, members: Mapping[str, Sequence[int]]
) -> list[AwardTable]:
    """Return a table of each list of prizes: that of the whole competition, then those of the categories."""
    competition = loaded.competition
    currency = competition.prizes.get("currency", "")
    decimals = 2 if any(award.amount % 100 for award in awards.awards) else 0
    tables, passed = [], _describe_passed(loaded, awards, members)
    for key, title in _list_titles(competition).items():
        lines = [
            AwardLine(
                award.place,
                loaded.name(award.entry),
                format_amount(award.amount, decimals, currency),
                award.thing,
                award.shared_by if award.amount else 1,
                award.undecided,
            )
            for award in awards.awards
            if award.category == key
        ]
        unwon = [(place, REASONS[why]) for category, place, why in awards.unwon if category == key]
        if key or lines or unwon:
            size = len(members.get(key, ())) if key else None
            tables.append(AwardTable(title, size, lines, unwon, passed.get(key, [])))
    return tables


def _describe_passed(
    loaded: LoadedCompetition, awards: Awards, members: Mapping[str, Sequence[int]]
) -> dict[str, list[str]]:
    """Return key of a list -> sentences about its prizes that pass on, as everyone gets one prize."""
    prizes = loaded.competition.prizes
    if not prizes.get("one_each") or len({award.category for award in awards.awards}) < 2:
        return {}
    ranks = {row.entry: at for at, row in enumerate(compute_standings(loaded).rows)}
    known = [award for award in awards.awards if award.entry in ranks]
    found: dict[str, list[str]] = {}
    for award, key in product(known, dict.fromkeys(one.category for one in known)):
        behind = [one for one in known if one.category == key and ranks[one.entry] > ranks[award.entry]]
        if award.category == key or not behind or (key and award.entry not in members.get(key, ())):
            continue
        heir = min(behind, key=lambda one: ranks[one.entry])
        sentence = _("{name} takes {prize}; {passed} passes to {heir}.").format(
            name=loaded.name(award.entry),
            prize=_describe_award(award, prizes["currency"]),
            passed=_describe_award(heir, prizes["currency"]),
            heir=loaded.name(heir.entry),
        )
        found.setdefault(key, []).append(sentence)
    return found


def _describe_award(award: Award, currency: str) -> str:
    """Return what is awarded."""
    return _join_amount_and_thing(format_amount(award.amount, 2 if award.amount % 100 else 0, currency), award.thing)


def _join_amount_and_thing(amount: str, thing: str) -> str:
    """Return a prize in words: 40 EUR, Book, or 40 EUR and Book."""
    return _("{amount} and {thing}").format(amount=amount, thing=thing) if amount and thing else amount or thing


def describe_prizes(competition: Competition) -> list[tuple[str, str]]:
    """Return the title of each list of prizes, and its prizes from the first place on: 1st 1,000 EUR, 2nd Book."""
    return [(title, ", ".join(texts)) for title, texts in _list_prizes(competition)]


def describe_first_prizes(competition: Competition) -> str:
    """Return the first prizes of a competition in a line, with … if there are more; "" without prizes."""
    if not competition.prizes:
        return ""
    (_title, texts), *others = _list_prizes(competition)
    more = " …" if others or len(texts) > MAX_FIRST_PRIZES else ""
    return ", ".join(texts[:MAX_FIRST_PRIZES]) + more


def _list_prizes(competition: Competition) -> list[tuple[str, list[str]]]:
    """Return the title of each list of prizes that has some, with the place and the words of each."""
    prizes = competition.prizes
    listed = [(one["category"], one["place"], read_amount(one["amount"]) or 0, one["thing"]) for one in prizes["list"]]
    decimals = 2 if any(amount % 100 for _key, _place, amount, _thing in listed) else 0
    described = []
    for key, title in _list_titles(competition).items():
        texts = [
            f"{format_ordinal(place)} "
            + _join_amount_and_thing(format_amount(amount, decimals, prizes["currency"]), thing)
            for category, place, amount, thing in listed
            if category == key
        ]
        if texts:
            described.append((title, texts))
    return described


def _list_titles(competition: Competition) -> dict[str, str]:
    """Return the key of each list of prizes -> its title."""
    return {"": _("The whole competition"), **{one["key"]: one["title"] for one in competition.categories}}
