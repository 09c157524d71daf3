"""Competitions of more than 30 days: ratings that change from a round on, in tie-breaks and in FIDE's sums."""

from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.files.trf_reading import read_trf
from league.apps.competitions.models import Competition, Entry, Round
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.fide_elo import FideElo, build_fide_elo, get_fide_rating
from league.apps.competitions.selectors.monthly_reports import list_months
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.competitions import change_competition
from league.apps.competitions.services.entries import change_entry
from league.apps.competitions.services.rounds import make_round, publish_round
from league.apps.rating_lists.models import ListedRow, RatingList
from league.core.errors import Invalid, Refused
from league.core.verify.run import verify_league
from league.models import ExternalId, League, Player
from ratings.fide import rating_change
from ratings.trf.competition import read_competition
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, league_of, make_league
from tests.helpers.competition_builders import enter, make_competition
from tests.helpers.competition_desk import read, send, sign_in
from tests.helpers.desk_client import form_fields
from tests.helpers.listed_people import PAGE, keep_list, put_into_use
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
CUP = "leagues/club/competitions/cup/"
DESK = "/admin/leagues/club/competitions/cup/"
SETTINGS = f"{DESK}settings/"
RATINGS = {1: 2100, 2: 2000, 3: 1900, 4: 1800}


def run_long(**settings: Any) -> League:
    """Return a league of chess with a long Swiss system of four rated entries."""
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3, **{"long": True, "tie_breaks": ["ARO"], **settings})
    for number, rating in RATINGS.items():
        change_entry(league.pk, "cup", number, {"rating": rating}, by="olga")
    return league


def give(number: int, *later: tuple[int, int], source: str = "") -> Entry:
    """Give an entry later ratings, each from a round on."""
    given = [{"from_round": one, "rating": rating, "rating_from": source} for one, rating in later]
    return change_entry(league_of().pk, "cup", number, {"later_ratings": given}, by="olga")


def find_average(number: int) -> Any:
    """Return the average rating of the opponents of an entry in the standings."""
    return next(row.values["ARO"] for row in compute_standings(loaded_cup(league_of())).rows if row.entry == number)


def test_later_ratings_count_in_tie_breaks_as_the_rules_say() -> None:
    league = run_long()
    play_round(league, 1, (1, 0), (1, 0))
    # Round 1 paired 1 with 3 and 2 with 4. Entry 3 now has 1950, and 2050 later.
    give(3, (2, 2050), (3, 2150))
    assert Entry.objects.get(number=3).later_ratings[0] == {"from_round": 2, "rating": 2050, "rating_from": ""}
    assert find_average(1) == 1900
    play_round(league, 2, (1, 0), (1, 0))
    opponents = {
        number: [sum(one.entries) - number for one in loaded_cup(league).fixtures if number in one.entries]
        for number in RATINGS
    }
    second = next(number for number in RATINGS if opponents[number][1] == 3)
    first = RATINGS[opponents[second][0]]
    for ratings, wanted in (("first", (first + 1900) / 2), ("round", (first + 2050) / 2), ("last", (first + 2050) / 2)):
        change_competition(league.pk, "cup", {"tie_break_rules": {"ratings": ratings}}, by="olga")
        assert find_average(second) == wanted
    # The opponent of round 1 met entry 3 with its first rating, unless the last ones count.
    assert find_average(1) == (2050 + RATINGS[opponents[1][1]]) / 2
    assert verify_league(league.pk).state == "is right"


def test_later_ratings_are_of_long_competitions_alone_and_checked() -> None:
    league = run_long()
    for later, pointer in (
        ([{"from_round": 1, "rating": 1, "rating_from": ""}], "/later_ratings/0/from_round"),
        ([{"from_round": 2, "rating": 10_000, "rating_from": ""}], "/later_ratings/0/rating"),
        ([{"from_round": 2, "rating": 1, "rating_from": ""}] * 2, "/later_ratings/1/from_round"),
        ([{"from_round": 2, "rating": 1}], "/later_ratings"),
    ):
        with pytest.raises(Invalid) as invalid:
            change_entry(league.pk, "cup", 1, {"later_ratings": later}, by="olga")
        assert [one.pointer for one in invalid.value.problems] == [pointer]
    with pytest.raises((Invalid, Refused)):
        change_competition(league.pk, "cup", {"long": False}, by="olga")
    Competition.objects.update(long=False)
    with pytest.raises(Invalid) as invalid:
        give(1, (2, 2000))
    assert invalid.value.problems[0].code == "not_long"


def test_a_competition_with_later_ratings_stays_long() -> None:
    league = make_league(players=FOUR)
    make_competition(league, "swiss", rounds=3, long=True)
    enter(league, *FOUR)
    give(2, (2, 2000))
    api = Api("organise")
    answer = api.patch(CUP, {"long": False})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/long")
    assert "remove them first from: 2." in answer.json()["errors"][0]["detail"]
    give(2)
    assert api.patch(CUP, {"long": False}).json()["long"] is False
    assert verify_league(league.pk).state == "is right"


def test_fides_sums_take_the_ratings_of_the_round() -> None:
    league = run_long(tie_breaks=["DE"])
    play_round(league, 1, (0.5, 0.5), (0.5, 0.5))
    first = loaded_cup(league).fixtures[0].entries
    own, other = min(first), max(first)
    give(own, (2, 2200))
    entry = Entry.objects.get(number=own)
    assert [get_fide_rating(entry, number) for number in (0, 1, 2, 3)] == [RATINGS[own], RATINGS[own], 2200, 2200]
    give(other, (2, 1500), source="dsb 2026-12-01, standard")
    # A national rating is none of FIDE's.
    assert get_fide_rating(Entry.objects.get(number=other), 2) == RATINGS[other]
    sums = find_sums(league, own)
    # 200 points: .76 were expected, and .5 made. K 20.
    assert sums.total and len(sums.periods) == 1
    assert (RATINGS[own] - RATINGS[other], float(sums.total)) == (200, -5.2)
    play_round(league, 2, (0.5, 0.5), (0.5, 0.5))
    first_period, second_period = find_sums(league, own).periods
    assert (first_period.rating, second_period.rating) == (RATINGS[own], 2200)
    assert second_period.change.games[0].true_difference == 2200 - RATINGS[second_period.opponents[0]]
    assert "month by month" in read(Client(), f"/leagues/club/competitions/cup/entries/{own}/")


def find_sums(league: League, number: int) -> FideElo:
    """Return FIDE's sums of an entry."""
    loaded = loaded_cup(league)
    sums = build_fide_elo(loaded, compute_standings(loaded).table, number)
    assert sums
    return sums


def test_k_is_that_of_the_month_by_its_rating_its_list_and_the_age() -> None:
    league = run_long(tie_breaks=["DE"])
    for number in (1, 2, 3):
        play_round(league, number, (0.5, 0.5), (0.5, 0.5))
    for number, day in ((1, "2026-11-10"), (2, "2026-12-01"), (3, "2027-01-01")):
        Round.objects.filter(number=number).update(starts_at=f"{day}T18:00Z")
    # 20, until 2400 is reached.
    give(1, (2, 2400))
    first, *rest = find_sums(league, 1).periods
    assert [(one.rating, one.k, one.month and one.month.isoformat()) for one in (first, *rest)] == [
        (2100, (20, "usual"), "2026-11-01"), (2400, (10, "top"), "2026-12-01"), (2400, (10, "top"), "2027-01-01"),
    ]  # fmt: skip
    # Born in 2008: 18 until the end of 2026; then no list has a K.
    ExternalId.objects.create(player=Player.objects.get(handle=FOUR[3]), provider="fide", value="74")
    put_into_use({"number": "74", "name": "Jo", "standard": 1800, "born": 2008}, dated="2027-01-01")
    assert [one.k for one in find_sums(league, 4).periods] == [(40, "youth"), (40, "youth"), (20, "usual")]
    # The list of December says otherwise, as long as it is kept.
    keep_list()
    RatingList.objects.update(dated="2026-12-01")
    ListedRow.objects.update(standard_k=40)
    put_into_use({"number": "74", "name": "Jo", "standard": 1800, "born": 2008, "standard_k": 20}, dated="2027-01-01")
    sums = find_sums(league, 4)
    assert [(one.change.k, one.listed_in) for one in sums.periods] == [
        (20, "fide 2027-01-01"), (40, "fide 2026-12-01"), (20, "fide 2027-01-01"),
    ]  # fmt: skip
    assert sums.total == sum(one.change.total for one in sums.periods)
    page = read(Client(), "/leagues/club/competitions/cup/entries/4/")
    both = "November 2026, January 2027: K is 20 (FIDE list of 1 Jan 2027)."
    for text in (both, "December 2026: K is 40", "month by month"):
        assert text in page
    card = Api().get(f"{CUP}entries/4/card/").json()["fide"]
    assert (card["k"], card["k_reason"], [one["k"] for one in card["games"]]) == (None, "listed", [20, 40, 20])
    # Where it lasts up to 30 days there is one period.
    Competition.objects.update(long=False)
    Entry.objects.update(later_ratings=[])
    assert [len(one.rounds) for one in find_sums(league, 4).periods] == [3]


def test_k_times_the_games_of_a_month_is_at_most_700(monkeypatch: pytest.MonkeyPatch) -> None:
    league = play_two_months()
    monkeypatch.setattr(rating_change, "MOST_K_GAMES", 30)
    # A game in November and two in December: 30 / 2 = 15, also if the rating changes within the month.
    assert [one.change.k for one in find_sums(league, 1).periods] == [20, 15]
    give(1, (3, 2150))
    assert [(one.rounds, one.change.k) for one in find_sums(league, 1).periods] == [((1,), 20), ((2,), 15), ((3,), 15)]


def test_who_gets_a_rating_during_a_long_event_has_a_first_rating_of_the_games_before() -> None:
    league = play_two_months()
    change_entry(league.pk, "cup", 4, {"rating": None}, by="olga")
    give(4, (2, 1700), source="fide 2026-12-01, standard")
    sums = find_sums(league, 4)
    assert (sums.rating, sums.games) == (None, 3)
    assert sums.first and sums.first.games == 1
    assert [(one.rating, one.rounds) for one in sums.periods] == [(1700, (2, 3))]
    assert "First rating so far" in read(Client(), "/leagues/club/competitions/cup/entries/4/")


@long_way
def test_a_newer_list_gives_later_ratings_on_the_page_that_compares() -> None:
    browser = sign_in()
    league = league_of()
    run_competition(league, FOUR, rounds=3, long=True, rating_lists=["fide:standard"])
    for number, player in enumerate(FOUR, 1):
        changes = {"rating": RATINGS[number], "rating_from": "fide 2026-11-01, standard"}
        change_entry(league.pk, "cup", number, changes, by="olga")
        ExternalId.objects.create(player=Player.objects.get(handle=player), provider="fide", value=f"7{number}")
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    people = [{"number": f"7{at}", "name": str(at), "standard": rating} for at, rating in RATINGS.items()]
    people[1]["standard"] = 2044
    put_into_use(*people, dated="2026-12-01")
    assert "1 rating was taken" in send(browser, PAGE, _take="1", entry=["1", "2"])
    entry = Entry.objects.get(number=2)
    assert (entry.rating, entry.rating_from) == (2000, "fide 2026-11-01, standard")
    assert entry.later_ratings == [{"from_round": 2, "rating": 2044, "rating_from": "fide 2026-12-01, standard"}]
    assert "Nothing was changed." in send(browser, PAGE, _take="1", entry=["2"])
    assert verify_league(league.pk).state == "is right"


@long_way
def test_an_arbiter_types_later_ratings_and_is_advised_against_tie_breaks_by_them() -> None:
    browser = sign_in()
    league = league_of()
    run_competition(league, FOUR, rounds=3, long=True, tie_breaks=["DE", "ARO", "RTNG"])
    advice = "FIDE advises against tie-breaks by ratings (ARO, RTNG)"
    assert advice in read(browser, DESK) and advice in read(browser, SETTINGS)
    answer = browser.get(SETTINGS)
    send(browser, SETTINGS, **{**form_fields(answer.context["form"]), "tie_break_ratings": "round"})
    assert Competition.objects.get().tie_break_rules["ratings"] == "round"
    page = f"{DESK}entries/1/"
    fields = form_fields(browser.get(page).context["form"])
    assert "Enter both the later rating" in send(browser, page, **{**fields, "later_rating": "2044"})
    # One fault is said once.
    assert "Enter both" not in send(browser, page, **{**fields, "later_rating": "2044", "later_round": "1"})
    send(browser, page, **{**fields, "later_rating": "2044", "later_round": "2"})
    assert Entry.objects.get(number=1).later_ratings == [{"from_round": 2, "rating": 2044, "rating_from": ""}]
    assert "2044 from round" in read(browser, page)
    send(browser, page, **{**fields, "later": ["2"], "later_rating": "2055", "later_round": "3"})
    assert [one["rating"] for one in Entry.objects.get(number=1).later_ratings] == [2044, 2055]
    send(browser, page, **fields)
    assert Entry.objects.get(number=1).later_ratings == []
    change_competition(league.pk, "cup", {"tie_breaks": ["DE"]}, by="olga")
    assert "advises against" not in read(browser, DESK)


def test_programs_send_later_ratings_and_a_document_has_them() -> None:
    run_long()
    api = Api("organise")
    listed = {"from_round": 2, "rating": 1900, "rating_from": "fide 2026-12-01, rapid"}
    later = [{"from_round": 3, "rating": 1950}, listed]
    answer = api.patch(f"{CUP}entries/4/", {"later_ratings": later}).json()
    stored = [listed, {"from_round": 3, "rating": 1950, "rating_from": ""}]
    assert answer["later_ratings"] == stored and api.get(CUP).json()["long"] is True
    document = api.get(f"{CUP}export/?format=json").json()
    assert document["entries"][3]["later_ratings"] == stored and document["competition"]["long"] is True
    document["competition"] |= {"slug": "copy", "title": "Copy"}
    answer = api.post("leagues/club/competitions/import/", document)
    assert answer.status_code == 201, answer.json()
    copy = Entry.objects.get(competition__slug="copy", number=4)
    assert (copy.later_ratings, copy.competition.long) == (stored, True)
    document["competition"] |= {"slug": "short", "long": False}
    refused = api.post("leagues/club/competitions/import/", document)
    assert (refused.status_code, [one["pointer"] for one in refused.json()["errors"]]) == (
        400, ["/entries/3/later_ratings"],
    )  # fmt: skip
    assert not Competition.objects.filter(slug="short").exists()
    assert verify_league(league_of().pk).state == "is right"


def play_two_months() -> League:
    """Play a round in November and two in December, from whose first on entry 3 has another rating."""
    league = run_long(tie_breaks=["DE"], rated=True)
    for number in (1, 2, 3):
        play_round(league, number, (1, 0), (0.5, 0.5))
    for number, day in ((1, "2026-11-10"), (2, "2026-12-01"), (3, "2026-12-08")):
        Round.objects.filter(number=number).update(starts_at=f"{day}T18:00Z")
    give(3, (2, 1950))
    return league


def read_report(api: Api, month: str) -> dict[str, list[str]]:
    """Return tag -> the lines of the report of a month."""
    answer = api.get(f"{CUP}export/?format=trf&month={month}")
    assert answer.status_code == 200, answer.json()
    assert f"cup-{month}.trf" in answer.headers["Content-Disposition"]
    lines: dict[str, list[str]] = {}
    for line in answer.content.decode().splitlines():
        lines.setdefault(line[:3], []).append(line)
    return lines


def test_a_report_of_a_month_has_its_rounds_alone_with_its_ratings() -> None:
    league = play_two_months()
    api = Api("organise")
    november, december = read_report(api, "2026-11"), read_report(api, "2026-12")
    assert [line[48:52].strip() for line in november["001"]] == ["2100", "2000", "1900", "1800"]
    assert [line[48:52].strip() for line in december["001"]] == ["2100", "2000", "1950", "1800"]
    whole = export_report(loaded_cup(league)).decode().splitlines()
    cells = {line[4:8]: line[91:].rstrip() for line in whole if line.startswith("001")}
    for lines, columns in ((november, slice(0, 8)), (december, slice(10, 28))):
        assert {line[4:8]: line[91:].rstrip() for line in lines["001"]} == {
            number: rounds[columns] for number, rounds in cells.items()
        }
    # Two games a round: a win and a draw make two points.
    assert [sum(float(line[80:84]) for line in some["001"]) for some in (november, december)] == [2, 4]
    assert december["132"][0].split()[1:] == ["26/12/01", "26/12/08"]
    assert [december[tag][0][4:] for tag in ("042", "052", "142", "092")] == [
        "2026/12/01", "2026/12/08", "2", "Individual: Swiss-System",
    ]  # fmt: skip
    assert not december.keys() & {"192", "202", "212", "240", "250", "260", "299"}
    read_back = read_competition(read_trf("\r\n".join(line for some in december.values() for line in some).encode()))
    assert [len(one.fixtures) for one in read_back.data.rounds] == [2, 2]


def test_a_report_of_a_month_after_the_planned_end_has_its_days_and_the_ratings_of_its_list() -> None:
    league = play_two_months()
    Competition.objects.update(
        starts_at="2026-11-01T00:00Z", ends_at="2026-11-30T00:00Z", federation="GER",
        rating_lists=["fide:standard", "dsb:standard"],
    )  # fmt: skip
    official = [{"rating": 1880, "rating_from": "dsb 2026-11-01, standard"}]
    later = [{"from_round": 2, "rating": 1895, "rating_from": "dsb 2026-12-01, standard"}]
    change_entry(league.pk, "cup", 4, {"official_ratings": official, "later_ratings": later}, by="olga")
    november, december = (read_report(Api("organise", name=one), one) for one in ("2026-11", "2026-12"))
    assert [december[tag][0][4:] for tag in ("042", "052")] == ["2026/12/01", "2026/12/08"]
    assert december["132"][0].split()[1:] == ["26/12/01", "26/12/08"]
    assert [[line[48:52] for line in some["GER"]] for some in (november, december)] == [["1880"], ["1895"]]


def test_months_that_are_none_are_refused() -> None:
    league = play_two_months()
    api, address = Api("organise"), f"{CUP}export/?format=trf&month="
    answer = api.get(f"{address}2027-01")
    assert answer.status_code == 422 and "2026-11, 2026-12" in answer.json()["errors"][0]["detail"]
    assert api.get(f"{address}2026-13").status_code == 400
    Competition.objects.update(long=False)
    assert api.get(f"{address}2026-11").json()["errors"][0]["code"] == "not_long"
    assert not list_months(loaded_cup(league))


def test_the_desk_links_the_reports_of_the_months() -> None:
    browser = sign_in()
    assert "Reports by month" not in read(browser, DESK.replace("cup/", ""))
    league = league_of()
    run_competition(league, FOUR, rounds=3, long=True)
    play_round(league, 1, (1, 0), (1, 0))
    Round.objects.update(starts_at="2026-11-10T18:00Z")
    page = read(browser, DESK)
    assert "?format=trf&amp;month=2026-11" in page and "November 2026" in page
