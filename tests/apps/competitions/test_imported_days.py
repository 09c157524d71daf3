"""The days of imported games: as people write them, within the event's days, never the moment of reading."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from league.models import Game
from tests.apps.competitions.files.trf_texts import FIVE, list_stated
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.shared import built_once
from tests.helpers.tiers import examples, long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
BELGRADE = ZoneInfo("Europe/Belgrade")
IMPORT = "leagues/club/competitions/import/?create_players=true"
built = built_once(lambda: make_league("elo", (), time_zone="Europe/Belgrade"))
LONG = ("%Y/%m/%d", "%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d %b %Y", "%d %B %Y", "%m/%d/%Y", "%b %d, %Y")
SHORT = ("%y/%m/%d", "%d/%m/%y", "%d.%m.%y", "%m/%d/%y")


@pytest.fixture
def api() -> Api:
    """Return the API with an organiser's token."""
    return Api("organise")


def bring(api: Api, *lines: str, query: str = "", kind: str = "application/x-trf", text: str = FIVE) -> Any:
    """Import the file of five players and two rounds with more lines."""
    return api.post_file(IMPORT + query, "\n".join((*lines, text)), kind)


def list_days() -> list[str]:
    """Return the days of the games, in Belgrade, in their order."""
    games = Game.objects.order_by("played_at", "order_key")
    return [str(game.played_at.astimezone(BELGRADE).date()) for game in games]


@long_way
def test_days_in_all_forms(api: Api) -> None:
    """Days from the 13th on tell their order; earlier ones follow from the other lines."""
    random = Random(7)
    for at in range(examples(80)):
        first = date(2001, 1, 1) + timedelta(days=random.randrange(8000))
        last = first + timedelta(days=random.randint(1, 9))
        second = first + timedelta(days=random.randint(0, (last - first).days))
        long, short = random.choice(LONG), random.choice(SHORT)
        decided = first.day > 12 or last.day > 12 or not long.startswith(("%d/", "%m/", "%d-"))
        days = [first.strftime(short), second.strftime(short)]
        shift = random.choice([87, 88, 89, 90, 1, 40])
        header = [f"042 {first.strftime(long)}", f"052 {last.strftime(long)}", "132" + " " * shift + "  ".join(days)]
        answer = bring(api, f"012 Event {at}", *header, query=f"&title=Event%20{at}&dry_run=true")
        if not decided:
            assert answer.status_code in (200, 400), header
            continue
        assert answer.status_code == 200, (header, answer.data)
        made = bring(api, *header, query=f"&title=Event%20{at}")
        games = Game.objects.order_by("-number")[:4]
        played = [game.played_at.astimezone(BELGRADE).date() for game in reversed(games)]
        assert played == [first, first, second, second], (header, made.data["warnings"])


def test_a_day_that_is_not_clear_is_asked_about(api: Api) -> None:
    header = ("042 02/10/2010", "052 05/10/2010")
    refused = bring(api, *header)
    assert (refused.status_code, [error["code"] for error in refused.data["errors"]]) == (400, ["ambiguous_day"])
    assert "2010-10-02, 2010-02-10" in refused.data["detail"]
    made = bring(api, *header, query="&starts=2010-10-02")
    assert (made.status_code, list_stated(made.data)) == (201, [])
    assert set(list_days()) == {"2010-10-02"}
    assert api.get("leagues/club/competitions/club-evening/").data["ends"].startswith("2010-10-04T22:00")


@pytest.mark.parametrize(
    ("lines", "first", "second"),
    [
        (["042 05/05/2012", "052 06/05/2012"], "2012-05-05", "2012-05-05"),  # the last day may be of May or June
        (["052 24.09.2010"], "2010-09-24", "2010-09-24"),
        (["132" + " " * 93 + "25/09/13  25/09/14"], "2025-09-13", "2025-09-14"),  # five columns to the right
        (["132" + " " * 88 + "13.09.25  14.09.25"], "2025-09-13", "2025-09-14"),
        (["132" + " " * 98 + "25/09/14"], "2025-09-14", "2025-09-14"),  # the first round has none
    ],
)
def test_days_that_other_lines_or_their_form_make_clear(api: Api, lines: list[str], first: str, second: str) -> None:
    made = bring(api, *lines)
    assert (made.status_code, list_stated(made.data)) == (201, []), made.data
    assert list_days() == [first, first, second, second]


@pytest.mark.parametrize("header", [[], ["042 05/05/2012"]])
def test_rounds_that_may_be_of_two_days_are_asked_about(api: Api, header: list[str]) -> None:
    refused = bring(api, *header, "132" + " " * 88 + "05/05/2012  06/05/2012")
    assert [error["code"] for error in refused.data["errors"]] == ["ambiguous_day"]
    assert "“06/05/2012” may be one of: 2012-05-06, 2012-06-05." in refused.data["detail"]


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["042 whenever"], "day"), (["042 32.13.2010"], "day"), (["042 2010"], "day"),
        (["042 2010/10/05", "052 2010/10/02"], "last_day_first"),
        (["042 2025/09/13", "052 2025/09/14", "132" + " " * 88 + "25/09/01  25/09/14"], "round_day"),
        (["042 2025/09/13", "132" + " " * 88 + "25/09/1   soon"], "day"),
    ],
)  # fmt: skip
def test_days_that_would_be_wrong_are_refused(api: Api, lines: list[str], code: str) -> None:
    refused = bring(api, *lines)
    assert (refused.status_code, [error["code"] for error in refused.data["errors"]]) == (400, [code])
    assert not Game.objects.exists()
    made = bring(api, *lines, query="&starts=2010-09-24")
    assert list_stated(made.data) == ["days_replaced"]
    assert set(list_days()) == {"2010-09-24"}


def test_a_file_without_days_is_of_the_day_of_its_import_and_says_so(api: Api) -> None:
    made = bring(api, "042 ", "052 0000/00/00")
    assert (made.status_code, list_stated(made.data)) == (201, ["no_days"])
    times = [game.played_at for game in Game.objects.order_by("played_at", "order_key")]
    midnight = timezone.now().astimezone(BELGRADE).replace(hour=0, minute=0, second=0, microsecond=0)
    assert midnight <= times[0] < times[-1] < timezone.now()
    stated = bring(api, query="&starts=2010-09-24&title=Other")
    assert (stated.status_code, list_stated(stated.data)) == (201, [])
    assert list_days()[:4] == ["2010-09-24"] * 4


def test_results_of_days_to_come_are_refused(api: Api) -> None:
    tomorrow = timezone.now() + timedelta(days=3)
    assert bring(api, f"042 {tomorrow:%Y/%m/%d}").status_code == 422
    assert bring(api, query=f"&starts={tomorrow:%Y-%m-%d}").status_code == 422
    today = timezone.now().astimezone(BELGRADE)
    assert bring(api, f"042 {today:%Y/%m/%d}").status_code == 201
    assert Game.objects.order_by("-played_at")[0].played_at <= timezone.now()


CSV = "round,player_1,player_2,result,starts\n1,Ann,Bea,1:0,{}\n1,Cid,Dot,0:1,{}\n2,Ann,Cid,1:0,{}\n2,Bea,Dot,1:0,{}\n"


@pytest.mark.parametrize(
    ("days", "query", "found"),
    [
        (["24.09.2010", "24.9.2010 19:30", "25.09.2010", "02.10.2010"], "",
         ["2010-09-24", "2010-09-24", "2010-09-25", "2010-10-02"]),
        (["09/24/2010", "10/02/2010", "10/03/2010", "10/04/2010"], "",
         ["2010-09-24", "2010-10-02", "2010-10-03", "2010-10-04"]),
        (["02/10/2010", "03/10/2010", "04/10/2010", "05/10/2010"], "", [2, 3, 4, 5]),
        (["2010-09-24", "", "2010-09-25", "2010-09-25"], "", [3]),
        (["2010-09-24", "", "2010-09-25", ""], "&starts=2010-09-20",
         ["2010-09-20", "2010-09-20", "2010-09-24", "2010-09-25"]),
        (["", "", "", ""], "&starts=2010-09-24", ["2010-09-24"] * 4),
    ],
)  # fmt: skip
def test_days_of_csv(api: Api, days: list[str], query: str, found: list[Any]) -> None:
    answer = bring(api, query=query, kind="text/csv", text=CSV.format(*days))
    if isinstance(found[0], int):
        assert (answer.status_code, [error["line"] for error in answer.data["errors"]]) == (answer.status_code, found)
        assert answer.status_code in (400, 422)
    else:
        assert answer.status_code == 201, answer.data
        assert list_days() == found


def test_json_without_days(api: Api) -> None:
    document: dict[str, Any] = {
        "document": "rungs-competition", "version": 1, "competition": {"title": "Cup", "format": "free"},
        "entries": [{"number": at, "players": [{"name": name}]} for at, name in enumerate(("Ann", "Bea", "Cid"), 1)],
        "fixtures": [
            {"kind": "game", "status": "played", "seats": [{"entry": 1, "score": 1}, {"entry": 2, "score": 0}]},
            {"kind": "game", "status": "played", "seats": [{"entry": 3, "score": 1}, {"entry": 2, "score": 0}]},
        ],
    }  # fmt: skip
    undated = api.post(IMPORT, document)
    assert (undated.status_code, list_stated(undated.data)) == (201, ["no_days"])
    document["competition"]["title"] = "Other"
    document["fixtures"][0]["played_at"] = "2010-09-24T10:00:00Z"
    refused = api.post(IMPORT, document)
    assert (refused.status_code, [error["code"] for error in refused.data["errors"]]) == (422, ["no_day"])
    made = api.post(f"{IMPORT}&starts=2010-09-23", document)
    assert made.status_code == 201
    assert list_days()[:2] == ["2010-09-23", "2010-09-24"]
    assert datetime(2010, 9, 24, 10, tzinfo=UTC) in {game.played_at for game in Game.objects.all()}


def test_a_file_whose_encoding_is_not_clear_is_asked_about(api: Api) -> None:
    """One letter that each encoding has otherwise; the answer gives the name, and the export the file as it came."""
    text = "042 2024/03/05\n" + FIVE.replace("Player 1 ", "Maæ, An  ")
    data = text.encode("cp1252")
    unclear = api.post_file(IMPORT, data, "application/x-trf")
    assert unclear.status_code == 400
    assert all(encoding in unclear.data["detail"] for encoding in ("windows-1250", "windows-1252"))
    made = api.post_file(f"{IMPORT}&encoding=windows-1250", data, "application/x-trf")
    assert made.status_code == 201, made.data
    entries = api.get("leagues/club/competitions/club-evening/entries/").data["results"]
    assert entries[0]["name"] == "An Mać"
    assert api.get("leagues/club/competitions/club-evening/export/?format=trf").content == data
    unknown = api.post_file(f"{IMPORT}&encoding=klingon", data, "application/x-trf")
    assert (unknown.status_code, unknown.data["errors"][0]["pointer"]) == (400, "?encoding")
