"""Rows that are poured into moulds are the rows that their template would render one by one."""

from collections.abc import Iterator
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from django.template import Context, Engine, Template
from django.test import Client
from django.utils.safestring import mark_safe

from league.models import Player
from league.moulds import Cast, marked, poured
from tests.helpers.builders import make_league, record, sheet

ROW = (
    '<tr{% if here %} class="here"{% endif %}><td width="100%">{{ cell.name }}</td>'
    "{% for one in more %}<td>{{ one }}</td>{% endfor %}<td>{{ cell.name }}{{ word }}</td></tr>"
)


@pytest.fixture
def template() -> Iterator[None]:
    engine = Engine(loaders=[("django.template.loaders.locmem.Loader", {"row.html": ROW})])
    found = SimpleNamespace(template=engine.get_template("row.html"))
    with patch("league.moulds.get_template", lambda _name: found):
        yield


def table(*rows: Cast) -> str:
    context = Context({"word": "50 % <b>", "more": [marked("first")]})
    before = context.flatten()
    found = poured(context, "row.html", rows)
    assert context.flatten() == before
    assert Template("{{ found }}").render(Context({"found": found})) == found
    return found


@pytest.mark.usefixtures("template")
def test_cells_are_escaped_and_never_read_as_a_mould() -> None:
    evil = {"name": "<script>'%(first)s' & %s", "first": mark_safe("<i>1</i>")}
    assert table(Cast((("here", False),), evil)) == (
        '\n  <tr><td width="100%">&lt;script&gt;&#x27;%(first)s&#x27; &amp; %s</td><td><i>1</i></td>'
        "<td>&lt;script&gt;&#x27;%(first)s&#x27; &amp; %s50 % &lt;b&gt;</td></tr>\n  "
    )
    assert marked("first") in table(Cast((("here", False),), {"name": marked("first"), "first": "x"}))


@pytest.mark.usefixtures("template")
def test_each_row_has_the_mould_of_its_shape() -> None:
    rows = [Cast((("here", name == "b"),), {"name": name, "first": "1"}) for name in "abca"]
    found = [line for line in table(*rows).split("\n") if line.strip()]
    assert [line.count('class="here"') for line in found] == [0, 1, 0, 0]
    assert [line[line.index("%") + 3] for line in found] == ["a", "b", "c", "a"]
    assert table() == ""


@pytest.mark.django_db
def test_a_board_says_names_as_they_are_written() -> None:
    league = make_league(players=("anna", "ben"))
    for player in Player.objects.all():
        Player.objects.filter(pk=player.pk).update(name=f"{player.name} <b>100 %</b> & %(rank)s")
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = Client().get(f"/leagues/{league.slug}/").content.decode()
    assert page.count("&lt;b&gt;100 %&lt;/b&gt; &amp; %(rank)s</a>") == 2
    assert "<b>100" not in page
