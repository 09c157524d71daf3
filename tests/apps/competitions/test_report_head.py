"""Federation, chief arbiter and time control: settings that a tournament report is written from, and that it brings."""

from random import Random

import pytest

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.report_head import describe_time_control
from league.core.verify.run import verify_league
from league.models import League
from ratings.trf.head import read_arbiter, read_federation, read_time_control
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.competition_builders import make_competition
from tests.helpers.competition_desk import read, sign_in
from tests.helpers.desk_client import form_fields
from tests.helpers.running_competitions import run_competition
from tests.helpers.tiers import long_way

LEAGUE = "leagues/club/competitions/"
HEAD = ("federation", "arbiter", "time_control")


def _draw_time_control(random: Random) -> str:
    """Return a time control in seconds: some periods of moves, then the rest of the game."""
    increment = random.choice(["", f"+{random.randint(0, 180)}"])
    periods = [f"{random.randint(1, 60)}/{random.randint(60, 9000)}{increment}:" for _at in range(random.randint(0, 2))]
    return "".join(periods) + f"{random.randint(60, 9000)}{increment}"


def test_a_time_control_is_read_as_it_is_drawn_and_no_other() -> None:
    random = Random("time controls")
    for _draw in range(60):
        text = _draw_time_control(random)
        assert read_time_control(text) == text
        assert read_time_control(f"  {text.replace('+', ' + ')} ") == text
        # A sign at an end, a word, or two signs together belong to no time control.
        at = random.randrange(len(text) + 1)
        wrong = [
            f"{text}+",
            f"+{text}",
            f"{text}:",
            f"{text[:at]}m{text[at:]}",
            text.replace("+", "++") + "++1",
            f"-{text}",
        ]
        assert {read_time_control(one) for one in wrong} == {None}, wrong


@pytest.mark.parametrize(
    "text", ["90 min", "90'+30''", "0", "0+0", "5400+", "40/5400", "1800:40/5400", "5400,30", "٥٤٠٠", "9" * 61]
)
def test_other_texts_are_no_time_control(text: str) -> None:
    assert read_time_control(text) is None


def test_a_federation_has_three_letters() -> None:
    # In capitals “ß” is two letters: three with another one.
    assert [read_federation(text) for text in (" srb ", "GER", "", "SR", "SERB", "S1B", "ŠRB", "aß")] == [
        "SRB", "GER", "", None, None, None, None, None,
    ]  # fmt: skip
    assert read_arbiter(" IA  Petar\tPetrovic (900001)\n") == "IA Petar Petrovic (900001)"


def _export(api: Api, slug: str = "cup", form: str = "trf26") -> list[str]:
    return list(api.get(f"{LEAGUE}{slug}/export/?format={form}").content.decode().splitlines())


@long_way
@pytest.mark.django_db
def test_the_settings_are_checked_written_and_read_back() -> None:
    api, random = Api("organise"), Random("heads")
    club = make_league(players=("ann", "bea", "cid", "dot"))
    run_competition(club, ("ann", "bea", "cid", "dot"), rounds=3, title="Cup")
    seconds = _draw_time_control(random)
    wrong = api.patch(f"{LEAGUE}cup/", {"federation": "SR", "time_control": "90 min", "arbiter": "x" * 121})
    assert wrong.status_code == 400
    wrong = api.patch(f"{LEAGUE}cup/", {"federation": "S1B", "time_control": "90 min"})
    assert [(one["pointer"], one["code"]) for one in wrong.data["errors"]] == [
        ("/federation", "invalid"), ("/time_control", "invalid"),
    ]  # fmt: skip
    given = {"federation": "srb", "arbiter": " IA  Petar Petrovic 900001", "time_control": seconds}
    changed = api.patch(f"{LEAGUE}cup/", given)
    stored = ["SRB", "IA Petar Petrovic 900001", seconds]
    assert (changed.status_code, [changed.data[name] for name in HEAD]) == (200, stored)
    report = _export(api)
    lines = [line for line in report if line[:3] in ("032", "102", "182", "222")]
    assert lines == ["032 SRB", "102 IA Petar Petrovic 900001", "182 Rungs", f"222 {seconds}"]
    # TRF16 has no lines 182 and 222.
    assert not [line for line in _export(api, form="trf16") if line[:3] in ("182", "222")]
    make_league(slug="there", players=())
    text = "".join(f"{line}\r\n" for line in report)
    brought = api.post_file("leagues/there/competitions/import/", text, "application/x-trf")
    assert brought.status_code == 201, brought.data
    there = Competition.objects.get(league__slug="there")
    assert [getattr(there, name) for name in HEAD] == stored
    document = api.get(f"{LEAGUE}cup/export/?format=json").content
    make_league(slug="third", players=())
    assert api.post_file("leagues/third/competitions/import/", document, "application/json").status_code == 201
    assert [getattr(Competition.objects.get(league__slug="third"), name) for name in HEAD] == stored
    assert [list(verify_league(one.league_id).differences) for one in Competition.objects.all()] == [[], [], []]


@pytest.mark.django_db
@pytest.mark.parametrize("seconds", ["5400+30", "90 minutes"])
def test_an_imported_head_stays_until_another_is_stated(seconds: str) -> None:
    api = Api("organise")
    club = make_league(players=("ann", "bea"))
    run_competition(club, ("ann", "bea"), "round_robin", title="Cup")
    head = ["032 Serbia", "102 IA   Ivo Ivic (1)", "122 90 minutes", "182 Another 3.1", f"222 {seconds}"]
    kept = [line for line in _export(api) if line[:3] not in ("032", "102", "182", "222")]
    text = "".join(f"{line}\r\n" for line in [*head, *kept])
    make_league(slug="there", players=())
    there = "leagues/there/competitions/"
    made = api.post_file(f"{there}import/", text, "application/x-trf")
    assert made.status_code == 201, made.data
    one = f"{there}{made.data['slug']}/"
    known = seconds if "+" in seconds else ""
    assert [api.get(one).data[name] for name in HEAD] == ["", "IA Ivo Ivic (1)", known]
    export = f"{one}export/?format=trf"
    assert api.get(export).content.decode() == text
    # Competitions that were imported before there were settings have none of them.
    Competition.objects.filter(league__slug="there").update(arbiter="", time_control="")
    assert api.get(export).content.decode() == text
    assert api.patch(one, {"federation": "SRB", "time_control": "600"}).status_code == 200
    out = api.get(export).content.decode().splitlines()
    assert sorted(line for line in out if line[:3] in ("032", "102", "122", "182", "222")) == [
        "032 SRB", "102 IA   Ivo Ivic (1)", "122 90 minutes", "182 Another 3.1", "222 600",
    ]  # fmt: skip


@pytest.mark.django_db
def test_an_arbiter_states_them_on_the_settings_page_also_after_the_end() -> None:
    browser = sign_in(players=("ann", "bea"))
    make_competition(League.objects.get(), "swiss", rounds=2)
    Competition.objects.update(status=Competition.Status.FINISHED)
    address = "/admin/leagues/club/competitions/cup/settings/"
    form = browser.get(address).context["form"]
    wrong = browser.post(address, form_fields(form, federation="X", time_control="90"))
    assert [*wrong.context["form"].errors] == ["federation"]
    assert "Tournament report" in read(browser, address)
    saved = browser.post(address, form_fields(form, federation="aut", arbiter="Eva", time_control="90 + 30"))
    assert saved.status_code == 302, saved.context["form"].errors
    assert Competition.objects.values_list(*HEAD).get() == ("AUT", "Eva", "90+30")


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ("", ""), ("5400+30", "90 min + 30 s"), ("300", "5 min"), ("90+2", "90 s + 2 s"), ("0+30", "30 s"),
        ("40/5400+30:1800+30", "40 moves in 90 min + 30 s, then 30 min + 30 s"),
    ],
)  # fmt: skip
def test_a_time_control_is_said_in_words(stated: str, words: str) -> None:
    assert describe_time_control(stated) == words
