"""Whether the tables can be divided by league: what bears it, what hangs on a row that does, what belongs to all.

PostgreSQL's partitions and Citus alike want the column by which a table is divided in every unique key, and foreign
keys of divided tables to bear it or to lead to tables that every machine has. What stands here is what docs/scaling.md
says; a new table must be placed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import models

from league.models import League

DOCS = Path(__file__).parents[2] / "docs" / "scaling.md"
#: Tables that hang on a row of a league and lack its column: on what they hang.
HANGING = {
    "Result": "game",
    "LadderRule": "ladder",
    "Period": "ladder",
    "Standing": "period",
    "Edition": "ladder",
    "Decision": "ladder",
    "JobPart": "job",
    "NoticeMail": "notice",
    "Delivery": "webhook",
}
#: What belongs to the whole site, and so to every machine.
SITE = {
    "Player", "Alias", "Merge", "FormerOpaque", "League", "Token", "Token_leagues", "Sign", "Edits", "RequestKey",
    "LoginTries",
}  # fmt: skip
#: Unique keys beside the row's own number that do not bear the league, of tables that do: secrets, unique by chance.
WITHOUT = {"Invitation": {("digest",)}, "ReportLink": {("digest",)}, "Report": {("game",)}}
#: Foreign keys between tables that are divided: both ends must be of one league, and bear it.
WITHIN = {
    ("Game", "Game"), ("RatingChange", "Game"), ("Report", "Game"), ("Report", "ReportLink"), ("Period", "LadderRule"),
}  # fmt: skip


def tables() -> list[Any]:
    """Return our models, those of many to many too."""
    return list(apps.get_app_config("league").get_models(include_auto_created=True))


def bears_league(model: Any) -> bool:
    """Tell whether a table has the league's column."""
    return any(field.name == "league" and field.related_model is League for field in model._meta.concrete_fields)


def unique_keys(model: Any) -> Iterator[tuple[str, ...]]:
    """Yield the unique keys of a table, but for the number that each row has."""
    for field in model._meta.concrete_fields:
        if field.unique and not (field.primary_key and field.name == "id"):
            yield (field.name,)
    for constraint in model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint):
            yield tuple(constraint.fields) or tuple(str(one) for one in constraint.expressions)


def test_every_table_has_its_place() -> None:
    found = {one.__name__ for one in tables()}
    bearing = {one.__name__ for one in tables() if bears_league(one)} - SITE
    assert bearing | set(HANGING) | SITE == found
    assert not bearing & set(HANGING) and not SITE & set(HANGING)
    text = DOCS.read_text()
    assert [name for name in [*HANGING, *SITE] if f"`{name}`" not in text] == []


def test_what_hangs_on_a_row_of_a_league_always_does() -> None:
    by_name = {one.__name__: one for one in tables()}
    for name, link in HANGING.items():
        field = by_name[name]._meta.get_field(link)
        assert not field.null, name
        above = field.related_model
        assert bears_league(above) or above.__name__ in HANGING, name


def test_unique_keys_bear_the_league_or_the_row_that_a_table_hangs_on() -> None:
    found: dict[str, set[tuple[str, ...]]] = {}
    for one in tables():
        if one.__name__ in SITE:
            continue
        bearer = HANGING.get(one.__name__, "league")
        for key in unique_keys(one):
            if bearer not in key:
                found.setdefault(one.__name__, set()).add(key)
    assert found == WITHOUT


def test_foreign_keys_lead_to_what_every_machine_has_or_stay_within_a_league() -> None:
    within = set()
    for one in tables():
        if one.__name__ in SITE:
            continue
        for field in one._meta.concrete_fields:
            above = field.related_model
            if above is None or field.name in ("league", HANGING.get(one.__name__)):
                continue
            if above._meta.app_label == "league" and above.__name__ not in SITE:
                within.add((one.__name__, above.__name__))
    assert within == WITHIN


def test_nothing_of_the_whole_site_hangs_on_a_row_of_a_league() -> None:
    for one in tables():
        if one.__name__ in SITE - {"League", "Token_leagues"}:
            above = {field.related_model.__name__ for field in one._meta.concrete_fields if field.related_model}
            assert above <= SITE | {"User"}, one.__name__
