"""Every counted phrase agrees with its count."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from league.core.text.display_formats import format_count, get_past_verb
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import DESK, PAD, dated_sheet, page_messages
from tests.helpers.ladder_builders import close, make_ladder, utc
from tests.helpers.tiers import long_way

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("count", "phrase"), [(0, "0 entries"), (1, "1 entry"), (2, "2 entries"), (12_000, "12,000 entries")]
)
def test_a_count_and_its_noun_agree(count: int, phrase: str) -> None:
    assert format_count(count, "entry", "entries") == phrase


def test_nouns_take_an_s_and_verbs_agree() -> None:
    assert [format_count(number, "game") for number in (0, 1, 2)] == ["0 games", "1 game", "2 games"]
    assert [get_past_verb(number) for number in (0, 1, 2)] == ["were", "was", "were"]


@pytest.mark.django_db
def test_commands_count_one_of_each() -> None:
    league = make_league(players=("anna", "ben"))
    make_ladder(league)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-03-05")))
    close(league, "2024-03")
    out = StringIO()
    call_command("verify", "club", stdout=out)
    assert "1 game, " in out.getvalue()
    assert " 1 edition and " in out.getvalue()


def club(periods: int) -> Client:
    """Return an organiser's browser with so many closed periods ."""
    league = make_league(players=("anna", "ben"))
    make_ladder(league)
    for month in range(periods):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=utc(f"2024-0{month + 1}-05")))
        close(league, f"2024-0{month + 1}")
    client = Client()
    client.force_login(User.objects.create_superuser("olga"))
    return client


@long_way
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("periods", "warning", "decision", "done"),
    [
        (1, "One closed period of Club now differs from", "carry", "1 period stays as published."),
        (1, "One closed period of Club now differs from", "publish", "1 period has a new edition."),
        (2, "2 closed periods of Club now differ from", "carry", "2 periods stay as published."),
        (2, "2 closed periods of Club now differ from", "publish", "2 periods have a new edition."),
    ],
)
def test_periods_that_differ_agree_with_their_verbs(periods: int, warning: str, decision: str, done: str) -> None:
    client, late = club(periods), {"anna": "5", "ben": "1"}
    for month in range(periods):
        sent = dated_sheet(*late.items(), played_at=f"2024-0{month + 1}-06T12:00")
        page = client.post(PAD, sent, follow=True)
    assert warning in page_messages(page)
    page = client.post(f"{DESK}decisions/", {"decision": decision, "reason": "friendlies"}, follow=True)
    assert done in page_messages(page)


#: Nouns whose plural would stand behind a count in a template.
NOUNS = (
    "games|players|periods|results|editions|entries|lines|rows|ratings|days|hours|attempts|differences|leagues|errors"
)


#: Counts that are of several things also where they are 1: "1 of 8 rows differs", and so many or more.
NUMBERS_OF_MANY = {("bring_part.html", "{{ shown }} lines"), ("period_changes.html", "{{ every }} rows")}


def test_no_template_writes_a_plural_behind_a_count_without_asking_how_many() -> None:
    found = [
        (path.name, match)
        for path in (ROOT / "templates").rglob("*.html")
        # What is translated has a form of its own for every count.
        for text in [re.sub(r"{% plural %}.*?{% endblocktranslate %}", "", path.read_text(), flags=re.DOTALL)]
        for match in re.findall(rf"{{{{ ?[^}}]*}}}} (?:more |new |closed )?(?:{NOUNS})\b", text)
    ]
    assert set(found) == NUMBERS_OF_MANY
