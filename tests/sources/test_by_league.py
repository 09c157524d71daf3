"""Whether the tables can be divided by league, as docs/operators/scaling.md does it.

PostgreSQL's partitions and Citus want the column by which a table is divided in every unique key, and in every foreign
key to another divided table. A new table is one of a league, or stands in ``SITE``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import models

from league.core.capabilities import list_models
from league.models import League
from league.models.leagues import LeagueKey

DOCS = Path(__file__).parents[2] / "docs" / "operators" / "scaling.md"
#: Tables of the whole site.
SITE = {
    "Player", "Alias", "ExternalId", "Merge", "FormerOpaque", "League", "Token", "Token_leagues", "Sign", "Edits",
    "RequestKey", "CacheEntry", "RatingList", "ListedRow",
}  # fmt: skip
#: Unique keys without the league: whoever follows a link has its secret, and does not know the league.
SECRETS = {("Invitation", ("digest",)), ("ReportLink", ("digest",))}

TABLES: list[Any] = list(list_models(include_auto_created=True))
OF_LEAGUES = [one for one in TABLES if one.__name__ not in SITE]


def unique_keys(model: Any) -> Iterator[tuple[str, ...]]:
    """Yield the unique keys of a table, except the number or UUID of each row."""
    for field in model._meta.concrete_fields:
        if field.unique and not (field.primary_key and field.name == "id"):
            yield (field.name,)
    for constraint in model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint):
            yield tuple(constraint.fields) or tuple(str(one) for one in constraint.expressions)


@pytest.mark.parametrize("model", OF_LEAGUES, ids=lambda model: model.__name__)
def test_every_table_of_a_league_has_its_column(model: Any) -> None:
    field = model._meta.get_field("league")
    assert (field.column, field.related_model, field.null) == ("league_id", League, False)


def test_unique_keys_begin_with_the_league() -> None:
    found = {(one.__name__, key) for one in OF_LEAGUES for key in unique_keys(one) if key[0] != "league"}
    assert found == SECRETS


def test_foreign_keys_within_a_league_compare_it() -> None:
    fields = [field for one in OF_LEAGUES for field in one._meta.concrete_fields if field.related_model in OF_LEAGUES]
    assert [str(field) for field in fields if not isinstance(field, LeagueKey)] == []
    assert len(fields) > 10


def test_tables_of_the_site_refer_to_no_row_of_a_league() -> None:
    site = [one for one in TABLES if one.__name__ in SITE]
    assert {one.__name__ for one in site} == SITE
    found = [field for one in site for field in one._meta.concrete_fields if field.related_model in OF_LEAGUES]
    assert found == []


def test_the_docs_name_the_tables_of_the_site() -> None:
    text = DOCS.read_text()
    assert [name for name in sorted(SITE) if f"`{name}`" not in text] == []
