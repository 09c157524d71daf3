"""Entering people of rating lists, and ratings that differ from the lists."""

import re

import pytest

from league.apps.competitions.models import Entry
from league.apps.competitions.services.entries import change_entry, withdraw_entry
from league.core.players.selectors.person import serialize_person
from league.core.verify.run import verify_league
from league.models import ExternalId, Player
from tests.helpers.builders import league_of, make_league, record, sheet
from tests.helpers.competition_builders import enter, make_competition, start
from tests.helpers.competition_desk import read, send, sign_in
from tests.helpers.listed_people import ANNA, JO, PAGE, list_ratings, open_cup, put_into_use
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
COMPARE = f"{PAGE}?compare=1"
ONE = "/admin/leagues/club/competitions/cup/"
ENTRIES = f"{ONE}entries/"


@long_way
def test_a_person_of_a_list_is_found_while_typing_and_entered_with_the_id() -> None:
    browser = open_cup(time_control="900+10")
    assert "rating-lists/" not in read(browser, ENTRIES)
    assert "No rating list is loaded." in read(browser, PAGE)
    put_into_use(JO, ANNA)
    assert PAGE in read(browser, ENTRIES)
    page = read(browser, f"{PAGE}?q=jo+roe")
    assert "Ratings come from: FIDE rapid, else FIDE standard." in page
    assert all(text in page for text in ("FIDE, 1 Nov 2026", "2 people", "2210", "2150", "fide:77", "Jo Roe"))
    assert "2150" not in read(browser, f"{PAGE}?q=jo")
    assert "three letters" in read(browser, f"{PAGE}?q=jo")
    assert "Nobody in the lists" in read(browser, f"{PAGE}?q=xyz")
    assert "Jo Roe is entered." in send(browser, PAGE, _enter="fide:77")
    entry = Entry.objects.get()
    assert (entry.rating, entry.rating_from, entry.title, entry.federation) == (
        2150, "fide 2026-11-01, rapid", "FM", "ENG",
    )  # fmt: skip
    assert entry.official_ratings == [
        {"rating": 2150, "rating_from": "fide 2026-11-01, rapid"},
        {"rating": 2210, "rating_from": "fide 2026-11-01, standard"},
    ]
    player = entry.survivors[0]
    assert player.name == "Jo Roe"
    assert list(ExternalId.objects.filter(player=player.pk).values_list("provider", "value")) == [("fide", "77")]
    assert f'href="{ENTRIES}1/"' in read(browser, f"{PAGE}?q=fide:77")
    count = Player.objects.count()
    assert "Jo Roe is in two entries" in send(browser, PAGE, _enter="fide:77")
    assert "nobody with the ID fide:5" in send(browser, PAGE, _enter="fide:5")
    assert (Entry.objects.count(), Player.objects.count()) == (1, count)
    assert verify_league(league_of().pk).state == "is right"


def test_a_known_player_gets_the_id_and_a_namesake_with_another_id_is_another_player() -> None:
    browser = open_cup()
    put_into_use(ANNA, {**ANNA, "number": "79", "standard": 0}, {**ANNA, "number": "A7"}, provider="dsb")
    assert "anna is entered." in send(browser, PAGE, _enter="dsb:78").lower()
    assert Entry.objects.get().survivors[0].handle == "anna"
    send(browser, PAGE, _enter="dsb:79")
    other = Entry.objects.get(number=2)
    assert other.survivors[0].handle != "anna"
    # A person without a rating in the list brings none along.
    assert (other.rating, other.rating_from) == (None, "")


@long_way
def test_ratings_that_differ_are_shown_and_taken_only_where_ticked() -> None:
    browser = open_cup()
    put_into_use(JO, ANNA)
    for number in ("77", "78"):
        send(browser, PAGE, _enter=f"fide:{number}")
    enter(league_of(), "ben")
    page = read(browser, COMPARE)
    assert "2 of 3 entries are in a list. Every entry that is in a list has its rating." in page
    # A rating that is typed is not from the list any more.
    change_entry(league_of().pk, "cup", 2, {"rating": 1850}, by="arno")
    assert list_ratings()[1] == (2, 1850, "")
    # The arbiter knew the rating of the list.
    assert "Every entry that is in a list has its rating." in read(browser, COMPARE)
    put_into_use({**JO, "standard": 2230}, {**ANNA, "standard": 1910}, dated="2026-12-01")
    page = read(browser, PAGE)
    assert "Are these lists current?" in page and "1850" not in page
    page = read(browser, COMPARE)
    assert all(text in page for text in ("1850", '<span class="meta">typed</span>', "2230", "FIDE list of 1 Nov 2026"))
    assert "1 rating was taken" in send(browser, PAGE, _take="1", entry=["1", "3", "x"])
    assert list_ratings() == [(1, 2230, "fide 2026-12-01, standard"), (2, 1850, ""), (3, None, "")]
    assert "Tick at least one entry." in send(browser, PAGE, _take="1")
    assert verify_league(league_of().pk).state == "is right"


def test_a_comparison_in_which_nobody_is_found_says_what_to_do() -> None:
    browser = open_cup()
    put_into_use(JO)
    assert "Nobody has entered yet." in read(browser, COMPARE)
    enter(league_of(), "ben", "cleo")
    page = read(browser, COMPARE)
    assert "0 of 2 entries are in a list." in page and "withdraw the entry" in page
    assert "has its rating" not in page
    withdraw_entry(league_of().pk, "cup", 1, by="arno")
    assert "0 of 1 entry is in a list." in read(browser, COMPARE)


def test_lists_that_were_loaded_after_the_start_are_as_proposed_in_the_line_that_sums_up_the_settings() -> None:
    browser = open_cup()
    start(league_of(), players=("anna", "ben", "cleo", "dan"))
    put_into_use(JO)
    summary = "As proposed: FIDE standard · Notices of ratings that differ from the lists"
    assert f'<span class="soft">{summary}</span>' in read(browser, f"{ONE}settings/")


def test_a_competition_of_sides_or_a_running_one_enters_nobody_from_a_list() -> None:
    browser = open_cup()
    put_into_use(JO)
    assert "_enter" in read(browser, f"{PAGE}?q=roe")
    make_competition(league_of(), "round_robin", slug="pairs", sides_of=2)
    assert "_enter" not in read(browser, f"{PAGE.replace('cup', 'pairs')}?q=roe")
    make_competition(league_of(), "round_robin", slug="ring")
    start(league_of(), slug="ring")
    ring = PAGE.replace("cup", "ring")
    assert "_enter" not in read(browser, f"{ring}?q=roe")


def test_a_person_is_shown_what_an_entry_has_from_the_lists() -> None:
    browser = open_cup()
    put_into_use(JO)
    send(browser, PAGE, _enter="fide:77")
    (found,) = serialize_person(ExternalId.objects.get(value="77").player)["leagues"]
    (entry,) = found["competitions"]
    listed = {"rating": 2210, "rating_from": "fide 2026-11-01, standard"}
    known = {name: entry[name] for name in ("title", "federation", *listed)}
    assert known == {"title": "FM", "federation": "ENG", **listed}
    assert listed in entry["official_ratings"]


@pytest.mark.engine
def test_texts_that_no_database_stores_are_nobody() -> None:
    browser = open_cup()
    put_into_use(JO, ANNA)
    assert "Nobody in the lists has a name" in read(browser, f"{PAGE}?q=roe%00")
    assert "The rating list has nobody with the ID" in send(browser, PAGE, _enter="fide:7\0")
    assert Entry.objects.count() == 0


def test_only_who_may_arbitrate_sees_the_lists() -> None:
    browser = sign_in("recorder")
    make_competition(league_of(), "swiss", rounds=3)
    assert browser.get(PAGE).status_code in (302, 403, 404)


@long_way
def test_pasted_names_and_ids_are_looked_up_in_the_lists() -> None:
    browser = open_cup()
    put_into_use(JO, {**ANNA, "number": "78123", "name": "Berg, Lea"}, {**JO, "number": "79123", "name": "Roe, Joan"})
    # The id can be one person only; a name may be several.
    page = send(browser, ENTRIES, lines="fide:78123; 1950\nJo Roe\nben", name="", _add="1")
    assert "FM Jo Roe 2210 ENG (fide:77)" in page and "FM Joan Roe 2210 ENG (fide:79123)" in page
    assert not Entry.objects.exists()
    # Ids and the only bearer of just this name are selected: one press enters all.
    assert re.findall(r'value="([^"]+)"\s+selected', page) == ["fide:78123", "fide:77"]
    assert "2 names were found in a rating list." in page and "not known here" not in page
    both = send(browser, ENTRIES, lines="Jo Roe\nRoe", name="", _add="1")
    assert "1 name was found in a rating list." in both and "1 name is not known here." in both
    chosen = {"text": ["fide:78123", "Jo Roe"], "means": ["fide:78123", "fide:77"]}
    browser.post(ENTRIES, {"lines": "fide:78123; 1950\nJo Roe\nben", "name": "", "_add": "1", **chosen})
    entries = {entry.survivors[0].name: (entry.rating, entry.rating_from) for entry in Entry.objects.all()}
    assert entries == {"Lea Berg": (1950, ""), "Jo Roe": (2210, "fide 2026-11-01, standard"), "Ben": (None, "")}
    assert set(ExternalId.objects.values_list("value", flat=True)) == {"78123", "77"}
    assert verify_league(league_of().pk).state == "is right"


def test_a_single_pasted_id_is_entered_at_once() -> None:
    browser = open_cup()
    put_into_use({**ANNA, "number": "78123", "name": "Berg, Lea"})
    browser.post(ENTRIES, {"lines": "78123", "name": "", "_add": "1"})
    assert [entry.survivors[0].name for entry in Entry.objects.all()] == ["Lea Berg"]


def test_each_of_a_hundred_pasted_ids_is_looked_up() -> None:
    browser = open_cup()
    numbers = [str(78000 + at) for at in range(100)]
    put_into_use(*({**ANNA, "number": number, "name": f"Berg{number}, Lea"} for number in numbers))
    lines = [f"fide:{one}" if int(one) % 2 else one for one in numbers]
    browser.post(ENTRIES, {"lines": "\n".join(lines), "name": "", "_add": "1"})
    assert [entry.survivors[0].name for entry in Entry.objects.order_by("number")] == [
        f"Lea Berg{number}" for number in numbers
    ]


def test_each_of_seventy_pasted_names_is_looked_up() -> None:
    browser = open_cup()
    names = [f"Berg{at:02}, Lea" for at in range(70)]
    put_into_use(*({**ANNA, "number": str(78000 + at), "name": name} for at, name in enumerate(names)))
    page = send(browser, ENTRIES, lines="\n".join(names), name="", _add="1")
    assert re.findall(r'value="([^"]+)"\s+selected', page) == [f"fide:{78000 + at}" for at in range(70)]


def test_pasted_namesakes_with_ids_of_their_own_are_two_players() -> None:
    browser = open_cup()
    put_into_use({**ANNA, "number": "78123"}, {**ANNA, "number": "78124"}, {**JO, "number": "77123"})
    browser.post(ENTRIES, {"lines": "78123\n78124\n77123", "name": "", "_add": "1"})
    ids = dict(ExternalId.objects.values_list("value", "player__handle"))
    assert (ids["78123"], len(set(ids.values())), Entry.objects.count()) == ("anna", 3, 3)


def test_somebody_pasted_twice_is_named_as_pasted_and_nothing_is_written() -> None:
    browser = open_cup()
    put_into_use({**ANNA, "number": "78123", "name": "Berg, Lea"})
    again = {"text": ["78123", "fide:78123"], "means": ["fide:78123", "fide:78123"]}
    answer = browser.post(ENTRIES, {"lines": "ben\n78123\nfide:78123", "name": "", "_add": "1", **again})
    assert "fide:78123: Lea Berg is in two entries" in answer.content.decode()
    assert not Entry.objects.exists()


@pytest.mark.parametrize("text", ["78124", "fide:78124", "FIDE:78124"])
def test_a_pasted_id_that_no_list_has_is_refused_with_its_line(text: str) -> None:
    browser = open_cup()
    put_into_use({**ANNA, "number": "78123", "name": "Berg, Lea"})
    page = send(browser, ENTRIES, lines=f"78123\n\n{text}; 1900", name="", _add="1")
    assert f"Line 3: no rating list has the id {text}." in page
    assert not Entry.objects.exists()


@pytest.mark.parametrize("text", ["fide: 78123", "1. 78123", "(3) 78123", "#78123", "2. fide: 78123"])
def test_a_pasted_id_in_a_list_or_with_a_space_is_no_new_player(text: str) -> None:
    browser = open_cup()
    put_into_use({**ANNA, "number": "78123", "name": "Berg, Lea"})
    browser.post(ENTRIES, {"lines": text, "name": "", "_add": "1"})
    assert [entry.survivors[0].name for entry in Entry.objects.all()] == ["Lea Berg"]
    assert set(ExternalId.objects.values_list("provider", "value")) == {("fide", "78123")}


@pytest.mark.parametrize("text", ["fide:999111", "999111", "1. 999111", "#999111"])
def test_a_pasted_id_of_a_player_whom_no_list_has_enters_the_player(text: str) -> None:
    browser = open_cup()
    put_into_use(JO)
    count = _store_ids(fide="999111")
    browser.post(ENTRIES, {"lines": f"{text}; 1900", "name": "", "_add": "1"})
    assert [(one.survivors[0].handle, one.rating) for one in Entry.objects.all()] == [("anna", 1900)]
    assert Player.objects.count() == count


def test_a_pasted_number_of_a_player_and_of_somebody_else_is_asked_about() -> None:
    """Of the providers with lists alone; the person of the other list is not chosen for the arbiter."""
    browser = open_cup()
    put_into_use(JO)
    put_into_use({**ANNA, "number": "999111", "name": "Berg, Lea"}, provider="dsb")
    _store_ids(fide="999111", site="999112")
    page = send(browser, ENTRIES, lines="999111", name="", _add="1")
    offered = re.findall(r'<option value="([^"]+)"( selected)?', page)
    assert [pair for pair in offered if pair[0] in ("anna", "dsb:999111", "+")] == [("anna", ""), ("dsb:999111", "")]
    assert not Entry.objects.exists()
    browser.post(ENTRIES, {"lines": "999111", "name": "", "_add": "1", "text": ["999111"], "means": ["anna"]})
    assert [one.survivors[0].handle for one in Entry.objects.all()] == ["anna"]
    assert "no rating list has the id 999112." in send(browser, ENTRIES, lines="999112", name="", _add="1")


def _store_ids(**ids: str) -> int:
    """Store ids of Anna; return the number of players."""
    anna = Player.objects.get(handle="anna")
    for provider, value in ids.items():
        ExternalId.objects.create(player=anna, provider=provider, value=value)
    return Player.objects.count()


def test_a_pasted_id_of_a_provider_without_a_list_becomes_a_player() -> None:
    browser = open_cup()
    put_into_use({**ANNA, "number": "78123", "name": "Berg, Lea"})
    again = {"text": ["site:78124"], "means": ["+"]}
    browser.post(ENTRIES, {"lines": "site:78124", "name": "", "_add": "1", **again})
    assert Entry.objects.get().players.count() == 1


@pytest.mark.parametrize("is_pasted", [False, True])
def test_an_id_that_is_not_stored_is_said(is_pasted: bool) -> None:
    browser = open_cup()
    other = make_league(players=(), slug="other")
    for one in (league_of(), other):
        record(one, sheet(("anna", "ben"), (1, 0)))
    put_into_use({**ANNA, "number": "78123"})
    if is_pasted:
        again = {"text": ["78123"], "means": ["fide:78123"]}
        page = browser.post(ENTRIES, {"lines": "78123", "name": "", "_add": "1", **again}, follow=True).content.decode()
    else:
        page = send(browser, PAGE, _enter="fide:78123")
    said = "The ID 78123 of Anna is not stored: the player also plays in a league that you do not organise."
    assert said in page
    assert Entry.objects.get().survivors[0].handle == "anna" and not ExternalId.objects.exists()


@long_way
def test_an_organiser_says_that_a_person_of_a_list_is_an_entry_and_can_undo_it() -> None:
    browser = sign_in("organiser")
    make_competition(league_of(), "swiss", rounds=3)
    enter(league_of(), "anna", "ben")
    namesake = {**ANNA, "number": "79", "standard": 1700, "federation": "", "born": 1990, "club": "Nord"}
    put_into_use({**ANNA, "born": 1971}, namesake, {**ANNA, "number": "80", "name": "Anna, Maria"}, JO)
    page = read(browser, PAGE)
    # Namesakes are told apart; longer names, and kinds of ratings that nobody has, are left out.
    assert "SWE · 1971 · FIDE ID 78</span>" in page and ">1990 · FIDE ID 79 · Nord</span>" in page
    assert page.count('name="_is"') == 2 and "FIDE ID 80" not in page
    assert "say above who is the same person" in read(browser, COMPARE)
    # Who is found and has the name of an entry leads to that question first.
    found = read(browser, f"{PAGE}?q=anna")
    assert found.count('<a href="#same">entered?') == 2 and found.count('name="_enter"') == 1
    page = send(browser, COMPARE, _is="1 fide:78")
    assert "has the ID fide:78 now." in page
    # The other one is no longer offered, and the rating is compared.
    assert 'name="_is"' not in page and "FIDE list of 1 Nov 2026" in page and "1900" in page
    assert list(ExternalId.objects.values_list("provider", "value")) == [("fide", "78")]
    assert 'name="_is_not"' in page and 'value="1 fide:78"' in page
    assert "has the ID fide:78 already" in send(browser, PAGE, _is="1 fide:79")
    assert "“fide:78” is taken." in send(browser, PAGE, _is="2 fide:78")
    assert "nobody with the ID fide:5" in send(browser, PAGE, _is="2 fide:5")
    page = send(browser, PAGE, _is_not="1 fide:78")
    assert "does not have the ID fide:78 any more" in page and 'name="_is_not"' not in page
    assert not ExternalId.objects.exists() and page.count('name="_is"') == 2
    assert verify_league(league_of().pk).state == "is right"


def test_an_arbiter_sees_who_an_entry_may_be_and_an_id_takes_an_organiser() -> None:
    browser = open_cup()
    enter(league_of(), "anna", "ben")
    put_into_use(ANNA)
    page = read(browser, PAGE)
    assert "FIDE ID 78" in page and "An organiser of the league" in page and 'name="_is"' not in page
    send(browser, PAGE, _is="1 fide:78")
    assert not ExternalId.objects.exists()


def test_a_site_without_lists_says_how_one_is_loaded_and_where_ratings_are_typed() -> None:
    page = read(open_cup(), PAGE)
    assert "rungs rating-list https://" in page and f'href="{ENTRIES}#adding"' in page
