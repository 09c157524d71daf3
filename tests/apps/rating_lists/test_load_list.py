"""Rating lists: FIDE's as text and XML, national ones as CSV; whole or not at all."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import BinaryIO
from urllib.error import URLError
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from league.apps.rating_lists.models import ListedRow, RatingList
from league.apps.rating_lists.reading import fetching
from league.apps.rating_lists.reading.listed_people import ListProblem, UnreadablePerson
from league.apps.rating_lists.services import load_list as loading
from league.apps.rating_lists.services.load_list import ListRequest, LoadedList, load_list
from league.core.players.listed_people import ListedRating, list_rating_lists, look_up_people, search_people

NOVEMBER = date(2026, 11, 1)
#: Titles and widths of the columns of FIDE's list, whose places ARBITER's source gives: name from 16, sex at 81 …
COLUMNS = (
    ("ID Number", 15), ("Name", 61), ("Fed", 4), ("Sex", 4), ("Tit", 5), ("WTit", 5), ("OTit", 15), ("FOA", 4),
    ("SRtng", 6), ("SGm", 4), ("SK", 3), ("RRtng", 6), ("RGm", 4), ("Rk", 3), ("BRtng", 6), ("BGm", 4), ("BK", 3),
    ("B-day", 6), ("Flag", 4),
)  # fmt: skip
ANNA = (
    "1503014", "Berg, Anna", "GER", "F", "IM", "WGM", "", "", "2401", "9", "10", "2350", "0", "20", "", "", "", "1990",
    "w",
)  # fmt: skip
BEN = (
    "24116068", "Óskarsson, Ben", "ISL", "M", "", "", "", "", "0", "0", "0", "0", "0", "0", "1899", "4", "40", "0000",
    "i",
)  # fmt: skip
#: The elements of a player in XML.
ELEMENTS = (
    "fideid", "name", "country", "sex", "title", "w_title", "o_title", "foa_title", "rating", "games", "k",
    "rapid_rating", "rapid_games", "rapid_k", "blitz_rating", "blitz_games", "blitz_k", "birthday", "flag",
)  # fmt: skip


def write_text(path: Path, rows: Sequence[Sequence[str]], columns: Sequence[tuple[str, int]] = COLUMNS) -> Path:
    """Write a list as FIDE does."""
    lines = [[title for title, _width in columns], *rows]
    path.write_text(
        "".join(
            "".join(cell.ljust(width) for cell, (_title, width) in zip(line, columns, strict=True)).rstrip() + "\r\n"
            for line in lines
        )
    )
    return path


def write_xml(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    """Write a list as FIDE does."""
    players = ("".join(f"<{name}>{cell}</{name}>\n" for name, cell in zip(ELEMENTS, row, strict=True)) for row in rows)
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<playerslist>\n'
        + "".join(f"<player>\n{player}</player>\n" for player in players)
        + "</playerslist>\n"
    )
    return path


def load(
    path: Path, provider: str = "fide", dated: date = NOVEMBER, columns: Mapping[str, str] = MappingProxyType({})
) -> LoadedList:
    """Load a list without showing progress."""
    return load_list(path, ListRequest(provider, provider.upper(), dated, columns), lambda *_: None)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["text", "xml", "zip"])
def test_people_are_read_from_each_form_of_fides_list(tmp_path: Path, kind: str) -> None:
    rows = [ANNA, BEN]
    path = (write_xml if kind == "xml" else write_text)(tmp_path / "players", rows)
    if kind == "zip":
        with ZipFile(tmp_path / "players.zip", "w") as archive:
            archive.write(path, "players_list.txt")
        path = tmp_path / "players.zip"
    assert load(path) == LoadedList("fide", NOVEMBER, 2, 0, ())
    found = look_up_people("fide", ["1503014", "24116068", "7"])
    anna, ben = found["1503014"], found["24116068"]
    assert (anna.name, anna.federation, anna.sex, anna.title, anna.born, anna.is_inactive) == (
        "Anna Berg", "GER", "w", "IM", 1990, False,
    )  # fmt: skip
    assert anna.ratings == {"standard": ListedRating(2401, 9, 10), "rapid": ListedRating(2350, 0, 20)}
    assert (ben.name, ben.sex, ben.title, ben.born, ben.is_inactive) == ("Ben Óskarsson", "m", "", None, True)
    assert ben.ratings == {"blitz": ListedRating(1899, 4, 40)}
    assert (anna.id_text, anna.source, len(found)) == ("fide:1503014", "fide 2026-11-01", 2)
    assert anna.list_ratings() == [(2401, "fide 2026-11-01, standard"), (2350, "fide 2026-11-01, rapid")]
    assert [one.list_key for one in (*anna.list_ratings(), *ben.list_ratings())] == [
        "fide:standard", "fide:rapid", "fide:blitz",
    ]  # fmt: skip


@pytest.mark.django_db
def test_older_lists_lack_columns_and_have_one_kind_of_rating(tmp_path: Path) -> None:
    older = [("ID Number", 15), ("Name", 61), ("Fed", 4), ("Sex", 4), ("NOV12", 6), ("Gms", 4), ("K", 3)]
    load(write_text(tmp_path / "list", [("77", "Roe, Jo", "ENG", "M", "2010", "3", "15")], older))
    assert look_up_people("fide", ["77"])["77"].ratings == {"standard": ListedRating(2010, 3, 15)}


@pytest.mark.django_db
def test_people_are_found_by_any_order_of_names_without_accents_and_by_id(tmp_path: Path) -> None:
    load(write_text(tmp_path / "list", [ANNA, BEN, ("5", "Berg, Anna Maria", *ANNA[2:])]))
    found = {
        text: [person.number for person in search_people(text)]
        for text in (
            "berg",
            "Anna Berg",
            "Berg, Anna",
            "oskars",
            "BEN ÓSK",
            "Óskarsson B",
            "Anna Maria Berg",
            "1503014",
            "fide:5",
            "dsb:5",
            "erg",
            " ",
        )
    }
    assert found == {
        "berg": ["1503014", "5"], "Anna Berg": ["1503014", "5"], "Berg, Anna": ["1503014", "5"], "oskars": ["24116068"],
        "BEN ÓSK": [], "Óskarsson B": ["24116068"], "Anna Maria Berg": ["5"],
        "1503014": ["1503014"], "fide:5": ["5"], "dsb:5": [], "erg": [], " ": [],
    }  # fmt: skip


@pytest.mark.django_db
def test_a_national_list_is_read_by_the_columns_that_are_named(tmp_path: Path) -> None:
    path = tmp_path / "national.csv"
    path.write_bytes("﻿Nr;Spielername;DWZ;Verein;Geburtsjahr\nA7;Müller,Jörg;1710;SC Köln;1985\n".encode())
    columns = {"number": "Nr", "name": "Spielername", "standard": "DWZ", "club": "Verein", "born": "Geburtsjahr"}
    load(path, "dsb", columns=columns)
    (person,) = search_people("jorg muller")
    assert (person.name, person.club, person.born, person.ratings["standard"].rating) == (
        "Jörg Müller", "SC Köln", 1985, 1710,
    )  # fmt: skip
    for wrong, message in (
        ({"number": "Nr"}, "Name the column of the name"),
        ({**columns, "club": "Club"}, "no column “Club”"),
        ({**columns, "rank": "Nr"}, "cannot be “rank”"),
    ):
        with pytest.raises(ListProblem, match=message):
            load(path, "dsb", columns=wrong)
    assert [state.people for state in list_rating_lists()] == [1]


@pytest.mark.engine
@pytest.mark.django_db
def test_broken_lines_in_the_middle_are_named_and_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "CHUNK", 50)
    rows = [(str(number), f"Roe, Jo {number}", *ANNA[2:]) for number in range(1, 501)]
    rows[99] = ("x y", *rows[99][1:])
    rows[199] = (rows[199][0], "", *rows[199][2:])
    # The same id, in another chunk, and in the same one.
    rows[299] = ("7", *rows[299][1:])
    rows[301] = (rows[300][0], *rows[301][1:])
    rows[399] = (*rows[399][:8], "24O1", *rows[399][9:])
    loaded = load(write_text(tmp_path / "list", rows))
    assert (loaded.people, loaded.skipped) == (495, 5)
    assert loaded.unreadable == (
        UnreadablePerson(101, "“x y” is no id"),
        UnreadablePerson(201, "the name is missing"),
        UnreadablePerson(301, "the id 7 is on a line before, too"),
        UnreadablePerson(303, "the id 301 is on a line before, too"),
        UnreadablePerson(401, "“24O1” is no number up to 9999"),
    )
    assert look_up_people("fide", ["7"])["7"].name == "Jo 7 Roe"


@pytest.mark.django_db
def test_a_file_that_is_no_list_leaves_the_one_before_in_use(tmp_path: Path) -> None:
    load(write_text(tmp_path / "list", [ANNA]))
    wrong = {
        "": "is not FIDE's list",
        "<html></html>": "begins with <html>",
        "<playerslist><player>": "cannot be read",
        '<!DOCTYPE a [<!ENTITY b "c">]><playerslist/>': "declares entities",
        "<playerslist></playerslist>": "has no people",
        "ID Number Nothing": "must have the titles",
        "ID Number      Name   Fed\nx": "no people",
    }
    for text, message in wrong.items():
        path = tmp_path / "wrong"
        path.write_text(text)
        with pytest.raises(ListProblem, match=message):
            load(path)
    with ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a", "")
        archive.writestr("b", "")
    with pytest.raises(ListProblem, match="it has 2"):
        load(tmp_path / "two.zip")
    with pytest.raises(ListProblem, match="cannot name a provider"):
        load(tmp_path / "list", "My list")
    with pytest.raises(ListProblem, match="is in use, which is newer"):
        load(tmp_path / "list", dated=date(2026, 10, 1))
    assert [(state.dated, state.people) for state in list_rating_lists()] == [(NOVEMBER, 1)]
    assert (RatingList.objects.count(), ListedRow.objects.count()) == (1, 1)


@pytest.mark.django_db
def test_the_next_list_replaces_one_and_what_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "CHUNK", 3)
    rows = [(str(number), f"Roe, Jo {number}", *ANNA[2:]) for number in range(1, 21)]
    path = write_text(tmp_path / "list", rows)
    load(path)
    left = RatingList.objects.create(provider="fide", title="FIDE", dated=NOVEMBER, loaded_at="2026-11-01T00:00Z")
    ListedRow.objects.create(rating_list=left, number="1", name="Jo", name_key=b"jo")
    load(write_text(path, rows[5:]), dated=date(2026, 12, 1))
    states = [(one.dated, one.state, one.people) for one in RatingList.objects.all()]
    assert states == [(date(2026, 12, 1), "current", 15), (NOVEMBER, "replaced", 20)]
    assert (ListedRow.objects.count(), look_up_people("fide", ["5"])) == (35, {})
    # The list before counts for its days.
    of_november = look_up_people("fide", ["5", "6"], date(2026, 11, 30))
    assert {number: one.source for number, one in of_november.items()} == {
        "5": "fide 2026-11-01", "6": "fide 2026-11-01",
    }  # fmt: skip
    assert [state.dated for state in list_rating_lists(date(2026, 11, 30))] == [NOVEMBER]
    assert look_up_people("fide", ["6"], date(2026, 12, 1))["6"].source == "fide 2026-12-01"
    assert list_rating_lists(date(2026, 10, 31)) == []


@pytest.mark.django_db
def test_of_two_runs_at_once_the_later_one_wins(tmp_path: Path) -> None:
    first, second = (write_text(tmp_path / name, rows) for name, rows in (("first", [ANNA]), ("second", [ANNA, BEN])))
    load(first)
    begun = []

    def load_second(*_: object) -> None:
        begun.append(load(second, dated=date(2026, 12, 1)))

    with pytest.raises(ListProblem, match="Another run began to load a list of fide"):
        load_list(first, ListRequest("fide", "FIDE", date(2026, 12, 1), {}), load_second)
    assert [(one.dated, one.people) for one in list_rating_lists()] == [(date(2026, 12, 1), 2)]

    def put_newer_into_use(*_: object) -> None:
        RatingList.objects.filter(state="current").update(dated=date(2027, 1, 1))

    with pytest.raises(ListProblem, match="2027-01-01 is in use"):
        load_list(first, ListRequest("fide", "FIDE", date(2026, 12, 1), {}), put_newer_into_use)
    assert [(one.dated, one.people) for one in list_rating_lists()] == [(date(2027, 1, 1), 2)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("today", "kept"),
    [
        # 31 days after 1 November are 2 December, after 1 December 1 January.
        (date(2026, 12, 3), [NOVEMBER]), (date(2027, 1, 1), [NOVEMBER]), (date(2027, 1, 2), []),
    ],
)  # fmt: skip
def test_a_list_is_kept_until_a_month_after_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, today: date, kept: list[date]
) -> None:
    path = write_text(tmp_path / "list", [ANNA])
    monkeypatch.setattr(timezone, "localdate", lambda: date(2026, 12, 3))
    for dated in (date(2026, 10, 1), NOVEMBER, NOVEMBER, date(2026, 12, 1)):
        load(path, dated=dated)
    assert RatingList.objects.count() == 2
    monkeypatch.setattr(timezone, "localdate", lambda: today)
    load(path, dated=date(2026, 12, 1))
    assert [one.dated for one in RatingList.objects.filter(state="replaced")] == kept
    assert ListedRow.objects.count() == len(kept) + 1


@pytest.mark.django_db
def test_lists_with_an_address_are_updated_in_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match="No list was loaded from an address"):
        call_command("rating_list", update=True)
    files = {"https://fide.example/list": write_text(tmp_path / "list", [ANNA])}
    national = tmp_path / "national.csv"
    national.write_text("Nr,Name,DWZ\nA7,Roe Jo,1710\n")
    files["https://dsb.example/list"] = national

    def open_address(address: str, timeout: int) -> BinaryIO:
        if address not in files:
            raise URLError("no such host")
        return files[address].open("rb")

    monkeypatch.setattr(fetching, "urlopen", open_address)
    columns = ["number=Nr", "name=Name", "standard=DWZ"]
    call_command("rating_list", "https://fide.example/list", dated=NOVEMBER)
    call_command("rating_list", "https://dsb.example/list", provider="dsb", federation="GER", column=columns)
    write_text(tmp_path / "list", [ANNA, BEN])
    national.write_text("Nr,Name,DWZ\nA7,Roe Jo,1750\n")
    call_command("rating_list", update=True)
    assert [(one.provider, one.people, one.federation) for one in list_rating_lists()] == [
        ("dsb", 1, "GER"), ("fide", 2, ""),
    ]  # fmt: skip
    assert look_up_people("dsb", ["A7"])["A7"].ratings["standard"].rating == 1750
    assert capsys.readouterr().out.count("Loaded") == 4
    call_command("rating_list", update=True, json=True)
    assert [one["provider"] for one in json.loads(capsys.readouterr().out)] == ["dsb", "fide"]
    # One that cannot be downloaded does not hold up the others.
    del files["https://dsb.example/list"]
    write_text(tmp_path / "list", [ANNA])
    with pytest.raises(CommandError, match=r"^dsb: https://dsb\.example/list cannot be downloaded: no such host\.$"):
        call_command("rating_list", update=True)
    assert [(one.provider, one.people) for one in list_rating_lists()] == [("dsb", 1), ("fide", 1)]
    with pytest.raises(CommandError, match="leave out the file"):
        call_command("rating_list", tmp_path / "list", update=True)
    with pytest.raises(CommandError, match=r"https://x\.example cannot be downloaded: no such host\."):
        call_command("rating_list", "https://x.example")


@pytest.mark.django_db
def test_sums_of_a_drawn_list_are_those_of_its_lines(tmp_path: Path) -> None:
    draw = Random(51)
    rows = []
    for number in draw.sample(range(1, 10**8), 300):
        standard, rapid, born = (draw.choice([0, draw.randrange(1400, 2800)]) for _ in range(3))
        ratings = (str(standard), "1", "20", str(rapid), "0", "20", "0", "0", "20")
        rows.append((str(number), f"Roe, {draw.choice('ABC')}", *ANNA[2:8], *ratings, str(born), ""))
    sums = [sum(int(row[at]) for row in rows) for at in (8, 11, 17)]
    for write in (write_text, write_xml):
        load(write(tmp_path / "list", rows))
        stored = ListedRow.objects.filter(rating_list__state="current").values_list("standard", "rapid", "born")
        assert [sum(column) for column in zip(*stored, strict=True)] == sums


@pytest.mark.django_db
def test_the_command_loads_a_list_and_shows_those_in_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("rating_list")
    call_command("rating_list", write_text(tmp_path / "list", [ANNA]), dated=NOVEMBER, title="FIDE, all")
    call_command("rating_list")
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "No rating list is loaded."
    assert shown[1].startswith("Loaded 1 person of fide, 2026-11-01;")
    assert shown[2] == "fide: FIDE, all, 2026-11-01, 1 person"
    with pytest.raises(CommandError, match="is in use, which is newer"):
        call_command("rating_list", tmp_path / "list", dated=date(2026, 10, 1))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("rating_list", tmp_path / "nothing", dated=NOVEMBER)
