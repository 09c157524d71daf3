"""Games of sets over every face: the result follows, is refused alike, stored, exported and restored."""

import json
from io import BytesIO
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.apps.imports.services import paste_record
from league.apps.imports.services.run import ImportOptions, import_games
from league.apps.reports.models import Report
from league.core.dispatch.sweep import run_requested_job
from league.core.errors import RungsError
from league.core.leagues.services.leagues import adopt_rule
from league.core.transfer.selectors.exports_csv import iter_csv_lines
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Game, Job, League, LogEntry, Result, Token
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league, said
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.desk_client import PAD, dated_sheet, ok_text, page_text
from tests.helpers.paste_builders import press, shown, states
from tests.helpers.report_builders import link_of, report_fields
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

RULE = {
    "best_of": 5,
    "to": 11,
    "clear_by": 2,
    "cap": None,
    "last_to": None,
    "tie_break": None,
    "retired": "allowed",
}
ANNA, BEN = [11, 9, 11, 11], [9, 11, 7, 5]
GAMES = "leagues/club/games/"


def build() -> League:
    """Make a league of sets, in which players report by links."""
    return make_league(reporting="by_link", sets={"best_of": 5, "to": 11})


built = built_once(build)


def caller(scope: str) -> Api:
    """Return a client of a token of its own."""
    return Api(scope, name=f"token-{Token.objects.count()}")


def body(one: Any = ANNA, other: Any = BEN, *, first: Any = None, second: Any = None, **more: Any) -> dict[str, Any]:
    """Return a game of sets as it is sent; first, second: more of each result."""
    results = [
        {"player": player, **({} if sets is None else {"sets": sets}), **(extra or {})}
        for player, sets, extra in (("anna", one, first), ("ben", other, second))
    ]
    return {"played_at": "2024-03-05T19:30:00Z", "results": results, **more}


def scores() -> list[tuple[float | None, int | None]]:
    """Return the scores and places of the newest game."""
    return list(
        Result.objects.filter(game=Game.objects.latest("number")).order_by("seat").values_list("score", "place")
    )


def stored() -> list[dict[str, Any]]:
    """Return the sets of the newest game."""
    return Game.objects.latest("number").set_rows


PLAYED = [{"sets": ANNA}, {"sets": BEN}]


def test_the_rule_is_answered_logged_and_listed_with_all_values() -> None:
    rules = caller("read").get("leagues/club/rules/").data["results"]
    assert [rule["sets"] for rule in rules] == [RULE]
    entry = LogEntry.objects.get(kind="rule.adopted")
    assert said(entry)["sets"] == RULE
    assert "best of 5, to 11, won by 2" in ok_text(Client().get("/leagues/club/how/"))


def test_a_game_sent_as_sets_has_their_result() -> None:
    answer = caller("record").post(GAMES, body())
    assert answer.status_code == 201, answer.data
    assert [(line["score"], line["place"], line["sets"]) for line in answer.data["results"]] == [
        (3.0, None, ANNA),
        (1.0, None, BEN),
    ]
    assert answer.data["details"] == {}
    assert "retired" not in answer.data["results"][0]
    read = caller("read").get(f"{GAMES}{answer.data['number']}/").data["results"]
    assert [line["sets"] for line in read] == [ANNA, BEN]
    page = page_text(Client().get(f"/leagues/club/games/{answer.data['number']}/"))
    assert "(11–9, 9–11, 11–7, 11–5)" in page
    assert verify_league(league_of().pk).differences == []


def test_a_retirement_gives_the_rest_to_the_other_side() -> None:
    answer = caller("record").post(GAMES, body([11, 9, 11, 3], [9, 11, 7, 5], first={"retired": True}))
    assert answer.status_code == 201, answer.data
    assert [(line["score"], line.get("retired")) for line in answer.data["results"]] == [(2.0, True), (3.0, None)]
    assert answer.data["results"][1]["change"] > 0


def test_what_is_sent_with_the_sets_must_agree() -> None:
    api = caller("record")
    answer = api.post(GAMES, body(first={"score": 1}, second={"score": 3}))
    assert answer.status_code == 422
    (error,) = answer.data["errors"]
    assert (error["code"], error["pointer"]) == ("contradicts_sets", "/results/0/score")
    assert error["detail"] == "The sets say 3–1, the scores 1–3."
    answer = api.post(GAMES, body(first={"place": 2}, second={"place": 1}))
    assert [error["code"] for error in answer.data["errors"]] == ["contradicts_sets"]
    assert api.post(GAMES, body(first={"score": 3, "place": 1}, second={"score": 1, "place": 2})).status_code == 201
    assert api.post(GAMES, body(first={"score": 3})).status_code == 201
    # 1–0 says who won; 0–1 contradicts.
    marked = api.post(GAMES, body(first={"score": 1}, second={"score": 0}))
    assert (marked.status_code, [one["score"] for one in marked.data["results"]]) == (201, [3, 1])
    other = api.post(GAMES, body(first={"score": 0}, second={"score": 1}))
    assert other.data["errors"][0]["detail"] == "The sets say 3–1, the scores 0–1."
    assert Game.objects.count() == 3


#: What is sent, the code and the pointer of its refusal.
BAD: list[tuple[dict[str, Any], str, str]] = [
    (body([11, 11, 11], [9, 10, 7]), "bad_set", "/results/0/sets/1"),
    (body([11, 11, 11], [9, -1, 7]), "bad_set", "/results/0/sets/1"),
    (body([11, 1000, 11], [9, 998, 7]), "bad_set", "/results/0/sets/1"),
    (body([11, "11", 11], [9, 9, 7]), "bad_set", "/results/0/sets/1"),
    (body("11 9", [9, 9, 7]), "bad_set", "/results/0/sets"),
    (body([11, 9, 11, 9, 11, 11], [9, 11, 9, 11, 9, 9]), "too_many_sets", "/results/0/sets/5"),
    (body([11, 11, 11, 11], [9, 9, 9, 9]), "too_many_sets", "/results/0/sets/3"),
    (body([11, 11], [9, 9]), "sets_unfinished", "/results/0/sets"),
    (body([11, 11, 11], [9, 9]), "sets_unequal", "/results/0/sets"),
    (body(ANNA, None), "sets_unequal", "/results/0/sets"),
    (body(first={"retired": True}), "bad_retirement", "/results/0/retired"),
    (body(None, None, second={"retired": True}), "bad_retirement", "/results/1/retired"),
    (body(kind="forfeit"), "no_sets", "/results/0/sets"),
    (body(details={"set_scores": [PLAYED]}), "unknown_field", "/details/set_scores"),
]


def test_sets_that_are_no_match_are_refused_alike_alone_and_in_a_batch() -> None:
    api = caller("record")
    batch = api.post(f"{GAMES}batch/", [body(), *(sent for sent, _, _ in BAD)])
    first, *others = [json.loads(line) for line in batch.getvalue().decode().splitlines()]
    assert first["status"] == 201
    for (sent, code, pointer), result in zip(BAD, others, strict=True):
        alone = api.post(GAMES, sent)
        assert alone.status_code in (400, 422), alone.data
        assert [(error["code"], error["pointer"]) for error in alone.data["errors"]] == [(code, pointer)]
        assert [error["detail"] for error in result["problem"]["errors"]] == [
            error["detail"] for error in alone.data["errors"]
        ]
    assert Game.objects.count() == 1


def test_three_sides_and_a_league_without_sets() -> None:
    three = body()
    three["results"].append({"player": "cleo", "sets": BEN})
    assert [error["code"] for error in caller("record").post(GAMES, three).data["errors"]] == ["sides"]
    adopt_rule(league_of().pk, "elo", {}, username="olga", from_date=None)
    now = {key: value for key, value in body().items() if key != "played_at"}
    answer = caller("record").post(GAMES, now)
    assert answer.status_code == 422
    assert [error["code"] for error in answer.data["errors"]] == ["no_sets"]


def test_partners_give_their_sets_once_or_each() -> None:
    adopt_rule(league_of().pk, "weng_lin", {}, sets={"best_of": 5, "to": 11}, username="olga")
    pairs = [("anna", 1, ANNA), ("ben", 1, None), ("cleo", 2, BEN), ("dan", 2, BEN)]
    results = [{"player": player, "side": side, "sets": sets} for player, side, sets in pairs]
    answer = caller("record").post(GAMES, {"results": results})
    assert answer.status_code == 201, answer.data
    assert [row["sets"] for row in stored()] == [ANNA, ANNA, BEN, BEN]
    results[1]["sets"] = BEN
    assert [error["code"] for error in caller("record").post(GAMES, {"results": results}).data["errors"]] == [
        "sets_unequal"
    ]


def test_the_same_external_id_is_the_same_game_only_with_the_same_sets() -> None:
    api = caller("record")
    sent = body(external_id="m-1")
    assert [api.post(GAMES, sent).status_code for _ in range(2)] == [201, 200]
    assert api.post(GAMES, body([11, 9, 11, 11], [9, 11, 7, 6], external_id="m-1")).status_code == 409
    assert Game.objects.count() == 1


def test_a_correction_and_a_restoration_keep_the_sets() -> None:
    api, number = caller("organise"), caller("record").post(GAMES, body()).data["number"]
    corrected = api.post(f"{GAMES}{number}/correct/", body([9, 9, 9], [11, 11, 11], reason="Swapped."))
    assert corrected.status_code in (200, 201), corrected.data
    assert scores() == [(0.0, None), (3.0, None)]
    restored = api.post(f"{GAMES}{number}/restore/", {"reason": "It was right."})
    assert restored.status_code in (200, 201), restored.data
    assert stored() == PLAYED
    assert verify_league(league_of().pk).differences == []


def import_csv(text: str) -> Any:
    """Import a file of the league."""
    return import_games(league_of().pk, BytesIO(text.encode()), ImportOptions(by="import"))


HEAD = "game_id,played_at,player,sets,retired\n"


def test_files_have_a_column_of_sets_and_are_read_back() -> None:
    import_csv(f"{HEAD}a,2024-03-05,anna,11 9 11 11,\na,2024-03-05,ben,9 11 7 5,\n")
    assert (scores(), stored()) == ([(3.0, None), (1.0, None)], PLAYED)
    import_csv(f"{HEAD}b,2024-03-06,anna,11 9,yes\nb,2024-03-06,ben,9 11,no\n")
    assert scores() == [(1.0, None), (3.0, None)]
    lines = list(iter_csv_lines(league_of().pk))
    assert lines[0] == "game_id,played_at,player,score,place,kind,sets,retired"
    assert lines[1].endswith(",3.0,,played,11 9 11 11,")
    assert lines[3].endswith(",1.0,,played,11 9,yes")
    assert import_csv("\n".join(lines)).known == 2


@pytest.mark.parametrize(
    ("one", "other", "retired", "code"),
    [
        ("11 11 11", "9 10 7", "", "bad_set"),
        ("11 x 11", "9 9 7", "", "bad_set"),
        ("11 11", "9 9", "", "sets_unfinished"),
        ("11 11", "9", "", "sets_unequal"),
        ("11 11", "9 9", "perhaps", "not_a_flag"),
    ],
)
def test_a_file_is_refused_as_the_api_refuses(one: str, other: str, retired: str, code: str) -> None:
    text = f"{HEAD}a,2024-03-05,anna,{one},{retired}\na,2024-03-05,ben,{other},\n"
    with pytest.raises(RungsError) as refused:
        import_csv(text)
    assert [problem.code for problem in refused.value.problems] == [code]
    assert not Game.objects.exists()


def test_lines_of_json_have_the_members_of_the_api() -> None:
    line = (
        '{"external_id": "a", "played_at": "2024-03-05T19:30:00Z", "results": [{"player": "anna", "sets": [11, 9]}, '
        '{"player": "ben", "sets": [9, 11], "retired": true}]}\n'
    )
    import_games(league_of().pk, BytesIO(line.encode()), ImportOptions(by="import", media="ndjson"))
    assert scores() == [(3.0, None), (1.0, None)]
    assert stored()[1] == {"sets": [9, 11], "retired": True}
    with pytest.raises(RungsError) as refused:
        import_games(
            league_of().pk,
            BytesIO(line.replace("true", "1").replace('"a"', '"b"').encode()),
            ImportOptions(by="import", media="ndjson"),
        )
    assert [problem.code for problem in refused.value.problems] == ["not_a_flag"]


@pytest.fixture
def olga(client: Client) -> Client:
    """Return the browser of an organiser."""
    client.force_login(User.objects.create_superuser("olga"))
    return client


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Anna Ben 11:9 9:11 11:7 11:5", (3.0, 1.0)),
        ("Anna – Ben 3:1 (11:9, 9:11, 11:7, 11:5)", (3.0, 1.0)),
        ("Ben lost to Anna 11-9 9-11 11-7 11-5", (1.0, 3.0)),
        ("Anna beat Ben 11-9 9-11 11-7 11-5", (3.0, 1.0)),
    ],
)
def test_sets_are_pasted(olga: Client, text: str, result: tuple[float, float]) -> None:
    page = shown(olga, f"5.3.2024\n{text}")
    assert states(page) == ["new"], page.context["cards"][0].sheet.refusals
    press(olga, page, _record="")
    assert [score for score, _ in scores()] == list(result)
    anna = stored()[0 if result[0] == 3 else 1]
    assert anna == {"sets": ANNA}


@pytest.mark.parametrize(
    ("text", "seat", "result"),
    [
        # Anna led by 2–1 and goes on: the third set won is awarded to her, or the two that Ben still needs to him.
        ("Anna – Ben 11:9 9:11 11:7 1:0, Ben ret.", 1, [3.0, 1.0]),
        ("Anna – Ben (11:9, 9:11, 11:7, 1:0) Anna retired", 0, [2.0, 3.0]),
        ("Anna – Ben 11:9 9:11 11:7 1:0, Anna aufg.", 0, [2.0, 3.0]),
        ("Anna – Ben 11:9 9:11 11:7 1:0 (Ben odustao)", 1, [3.0, 1.0]),
    ],
)
def test_a_retirement_is_pasted(olga: Client, text: str, seat: int, result: list[float]) -> None:
    page = shown(olga, f"5.3.2024\n{text}")
    assert states(page) == ["new"], page.context["cards"][0].sheet.refusals
    press(olga, page, _record="")
    assert [score for score, _ in scores()] == result
    assert [line.get("retired", False) for line in stored()] == [at == seat for at in range(2)]


def test_a_long_paste_that_a_worker_records_keeps_sets_and_who_retired(olga: Client) -> None:
    page = shown(olga, "5.3.2024\nAnna – Ben 11:9 9:11 11:7 1:0, Ben ret.")
    with patch.object(paste_record, "MAX_IMMEDIATE_SEATS", 1):
        press(olga, page, _record="")
    run_requested_job(Job.objects.get().pk)
    assert stored() == [{"sets": [11, 9, 11, 1]}, {"sets": [9, 11, 7, 0], "retired": True}]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Anna – Ben 11:9 11:7 1:0 ret.", "it is not clear who retired."),
        ("Anna – Ben 11:9 11:7 1:0 Cleo ret.", "it is not clear who retired."),
        ("Anna Ben 11:9 11:10 11:7", "Set 2: 11–10 is not won by 2."),
        ("Anna Ben 3:0 (11:9 9:11 11:7 11:5)", "Set 1: 3–0 is not finished"),
        ("Anna Ben 11:9 9:11", "The match is not finished"),
    ],
)
def test_pasted_sets_that_are_no_match_are_said(olga: Client, text: str, sentence: str) -> None:
    page = shown(olga, f"5.3.2024\n{text}")
    assert states(page) == ["bad"]
    refusals = " ".join(page.context["cards"][0].sheet.refusals)
    assert sentence in refusals


SETS = tuple(f"set_{number}" for number in range(1, 6))
COLUMNS = ("player", *SETS)


def test_the_pad_takes_sets_and_a_correction_shows_them(olga: Client) -> None:
    empty = olga.get(PAD).content.decode()
    assert 'name="seats-1-set_5"' in empty
    typed = dated_sheet(("Anna", *ANNA), ("Ben", *BEN), columns=COLUMNS[:5])
    answer = olga.post(PAD, typed)
    assert answer.status_code == 302, page_text(answer)
    assert (scores(), stored()) == ([(3.0, None), (1.0, None)], PLAYED)
    number = Game.objects.latest("number").number
    page = olga.get(f"/admin/leagues/club/games/{number}/correct/")
    form = page.context["sheet"].formset.forms[1]
    assert [form[name].value() for name in ("score", *SETS)] == [None, *BEN, None]


def test_the_pad_says_at_the_set_what_is_wrong(olga: Client) -> None:
    typed = dated_sheet(("Anna", 11, 11, 11), ("Ben", 9, 10, 7), columns=COLUMNS[:4])
    page = olga.post(PAD, typed)
    assert page.context["sheet"].formset.forms[0].errors["set_2"] == ["Set 2: 11–10 is not won by 2."]
    assert not Game.objects.exists()


def test_the_pad_takes_a_retirement_and_previews_the_result(olga: Client) -> None:
    typed = dated_sheet(("Anna", 11, 9), ("Ben", 9, 11), columns=("player", *SETS[:2]), retired="1")
    preview = olga.post("/admin/leagues/club/record/change/", typed).json()
    assert [seat["score"] for seat in preview["made"]] == ["1", "3"]
    assert preview["seats"][1]["change"].startswith("+")
    assert olga.post(PAD, typed).status_code == 302
    assert scores() == [(1.0, None), (3.0, None)]


@long_way
def test_a_report_by_a_link_shows_the_sets_to_who_confirms() -> None:
    league = league_of()
    caller("record").post(GAMES, body())
    first, second = f"/report/{link_of(league, 'anna')}/", f"/report/{link_of(league, 'ben')}/"
    fields = {
        f"seats-{row}-{name}": value
        for row, points in enumerate((ANNA, BEN))
        for name, value in zip(SETS, points, strict=False)
    }
    anna, ben = Client(), Client()
    anna.post(first, {**report_fields(("Anna", "ben"), ("", "")), **fields}, follow=True)
    report = Report.objects.get()
    assert [line["sets"] for line in report.sheet["results"]] == [ANNA, BEN]
    assert "Anna 3–1 (11–9, 9–11, 11–7, 11–5) Ben" in page_text(ben.get(second))
    ben.post(f"{second}{report.pk}/", {"_say": "right"}, follow=True)
    assert (scores(), stored()) == ([(3.0, None), (1.0, None)], PLAYED)


def test_a_fixture_takes_sets_and_reads_three_to_one() -> None:
    league = league_of()
    make_competition(league)
    start(league, ("anna", "ben"))
    api = caller("organise")
    (fixture,) = api.get("leagues/club/competitions/cup/fixtures/").data["results"]
    answer = api.post(
        f"leagues/club/competitions/cup/fixtures/{fixture['id']}/result/", {"results": [{"sets": ANNA}, {"sets": BEN}]}
    )
    assert answer.status_code == 201, answer.data
    assert (scores(), stored()) == ([(3.0, None), (1.0, None)], PLAYED)
    assert "3–1" in ok_text(Client().get("/leagues/club/competitions/cup/"))


def test_an_export_is_restored_with_its_sets_and_rules() -> None:
    caller("record").post(GAMES, body())
    lines = export_of(league_of())
    restore_league(lines_file(lines), slug="copy", known_players=True, by="olga")
    copy = league_of("copy")
    assert copy.rules.get().sets == RULE
    assert copy.games.get().set_rows == PLAYED
    assert verify_league(copy.pk).differences == []


@pytest.mark.parametrize(
    ("sets", "pointer"),
    [
        ({"best_of": 4}, "/sets/best_of"),
        ({"cap": 5}, "/sets/cap"),
        ({"best_of": 1, "last_to": 10}, "/sets/last_to"),
    ],
)
def test_a_rule_whose_sets_contradict_themselves_is_refused(sets: dict[str, Any], pointer: str) -> None:
    answer = caller("organise").post("leagues/club/rules/", {"system": "elo", "sets": sets})
    assert answer.status_code in (400, 422)
    assert [error["pointer"] for error in answer.data["errors"]] == [pointer]


@pytest.mark.parametrize(("system", "parameters"), [("elo", {"winner": "lowest"}), ("barbu", {}), ("preferans", {})])
def test_systems_without_matches_of_two_have_no_sets(system: str, parameters: dict[str, Any]) -> None:
    answer = caller("organise").post(
        "leagues/club/rules/", {"system": system, "parameters": parameters, "sets": {"to": 11}}
    )
    assert [error["pointer"] for error in answer.data["errors"]] == ["/sets"]


def test_the_desk_keeps_and_changes_the_sets_of_the_rule(olga: Client) -> None:
    page = olga.get("/admin/leagues/club/rules/")
    assert page.context["form"]["sets_sport"].value() == "table_tennis"
    fields = {name: page.context["form"][name].value() for name in page.context["form"].fields}
    values = {name: "" if value is None else value for name, value in fields.items()}
    own = {**values, "sets_sport": "own", "sets_best_of": "7", "sets_retired": "refused"}
    shown_preview = olga.post("/admin/leagues/club/rules/", {**own, "_preview": "1"})
    assert shown_preview.status_code == 200
    wrong = olga.post("/admin/leagues/club/rules/", {**own, "sets_best_of": "4"})
    assert "odd number" in page_text(wrong)
