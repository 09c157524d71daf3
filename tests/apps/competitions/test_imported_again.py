"""The same event twice: refused with the first competition's name, or continued with what is new."""

import json
from random import Random
from typing import Any

import pytest

from league.apps.competitions.models import Competition, Fixture, Round, SourceFile
from league.core.verify.run import verify_league
from league.models import Game, League, Player
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
COMPETITIONS = "leagues/club/competitions/"
KINDS = {"trf": "application/x-trf", "csv": "text/csv", "json": "application/json"}
NAMES = ("Ada Ahrens", "Bo Brandt", "Cy Clausen", "Di Dorn", "Ed Ebert", "Flo Falk")
#: Who meets whom in each round, White first: a round robin of six by the Berger tables.
ROUNDS = (
    ((1, 6), (2, 5), (3, 4)), ((6, 4), (5, 3), (1, 2)), ((2, 6), (3, 1), (4, 5)),
    ((6, 5), (1, 4), (2, 3)), ((3, 6), (4, 2), (5, 1)),
)  # fmt: skip
built = built_once(lambda: make_league("elo", ()))


class Event:
    """A Swiss of six; ``played``: results of each round that is in the file, None of a game that is not played yet."""

    def __init__(self, random: Random, title: str = "Open", day: str = "2024-03-05") -> None:
        self.title, self.day = title, day
        self.results = [[random.choice([1.0, 0.5, 0.0]) for _pair in pairs] for pairs in ROUNDS]

    def write(self, kind: str, rounds: int, *, missing: int = 0, results: Any = None) -> bytes:
        """Return the file after so many rounds, without the results of some games of the last round."""
        found = [list(one) for one in (results or self.results)[:rounds]]
        for at in range(missing):
            found[-1][at] = None
        writers = {"trf": self._write_trf, "csv": self._write_csv, "json": self._write_json}
        return writers[kind](found).encode()

    def _write_trf(self, found: list[list[float | None]]) -> str:
        cells = dict.fromkeys(range(1, 7), "")
        points = dict.fromkeys(cells, 0.0)
        signs = {1.0: "1", 0.5: "=", 0.0: "0", None: " "}
        for pairs, results in zip(ROUNDS, found, strict=False):
            for (white, black), result in zip(pairs, results, strict=True):
                other = None if result is None else 1 - result
                cells[white] += f"  {black:4} w {signs[result]}"
                cells[black] += f"  {white:4} b {signs[other]}"
                points[white] += result or 0
                points[black] += other or 0
        day = [f"042 {self.day}"] if self.day else []
        lines = [f"012 {self.title}", "022 Graz", *day, "092 Individual: Swiss-System", "XXR 5", "XXC white1"]
        for number, name in enumerate(NAMES, start=1):
            first, last = name.split()
            head = f"001 {number:>4} m    {f'{last}, {first}':33} {'':4} {'':3} {'':11} {'1990':10} "
            lines.append(f"{head}{points[number]:>4} {'':4}{cells[number]}")
        return "\n".join(lines) + "\n"

    def _write_csv(self, found: list[list[float | None]]) -> str:
        lines = ["round,table,player_1,player_2,result,starts"]
        for number, (pairs, results) in enumerate(zip(ROUNDS, found, strict=False), start=1):
            for table, ((white, black), result) in enumerate(zip(pairs, results, strict=True), start=1):
                score = "" if result is None else f"{result}:{1 - result}"
                day = f"{self.day} 19:0{number}" if self.day else ""
                lines.append(f"{number},{table},{NAMES[white - 1]},{NAMES[black - 1]},{score},{day}")
        return "\n".join(lines) + "\n"

    def _write_json(self, found: list[list[float | None]]) -> str:
        fixtures = [
            {
                "round": number, "table": table, "kind": "game", "status": "planned" if result is None else "played",
                "seats": [
                    {"entry": white, "score": result},
                    {"entry": black, "score": None if result is None else 1 - result},
                ],
            }
            for number, (pairs, results) in enumerate(zip(ROUNDS, found, strict=False), start=1)
            for table, ((white, black), result) in enumerate(zip(pairs, results, strict=True), start=1)
        ]  # fmt: skip
        settings: dict[str, Any] = {"title": self.title, "format": "swiss", "rounds": 5, "venue": "Graz"}
        if self.day:
            settings["starts"] = f"{self.day}T10:00:00Z"
        entries = [{"number": at, "players": [{"name": name}]} for at, name in enumerate(NAMES, start=1)]
        return json.dumps({
            "document": "rungs-competition", "version": 1, "competition": settings, "entries": entries,
            "rounds": [{"number": number} for number in range(1, len(found) + 1)], "fixtures": fixtures,
        })  # fmt: skip


def bring(api: Api, kind: str, data: bytes, **query: str) -> Any:
    """Import a file."""
    query = {"create_players": "true", **query} | ({"title": "Open"} if kind == "csv" and "title" not in query else {})
    address = f"{COMPETITIONS}import/?" + "&".join(f"{name}={value}" for name, value in query.items())
    return api.post_file(address, data, KINDS[kind])


def count() -> tuple[int, ...]:
    """Return how many competitions, rounds, fixtures, games and players there are."""
    return tuple(model.objects.count() for model in (Competition, Round, Fixture, Game, Player))


@pytest.fixture
def api() -> Api:
    """Return the API with an organiser's token."""
    return Api("organise")


@pytest.mark.parametrize("day", ["2024-03-05", ""])
@pytest.mark.parametrize("kind", KINDS)
def test_an_event_is_imported_once(api: Api, kind: str, day: str) -> None:
    event = Event(Random(kind + day), day=day)
    file = event.write(kind, 2)
    made = bring(api, kind, file)
    assert (made.status_code, made.data["slug"], made.data["games"]) == (201, "open", 6), made.data
    before = count()
    for data, query in (
        (file, {}), (file, {"dry_run": "true"}), (event.write(kind, 3), {}), (event.write(kind, 3, missing=1), {}),
        (file.replace(b"Open", b"  oPEN  "), {"title": "oPEN"} if kind == "csv" else {}),
    ):  # fmt: skip
        again = bring(api, kind, data, **query)
        assert (again.status_code, again.data["code"], again.data["competition"]) == (409, "conflict", "open")
        [problem] = again.data["errors"]
        assert (problem["pointer"], problem["code"]) == ("?into", "imported")
        assert again.data["detail"].startswith("This event was imported before: Open (open")
        assert again.data["detail"].endswith("The file can continue Open.")
    assert count() == before
    # The competition may be called otherwise by now.
    assert api.patch(f"{COMPETITIONS}open/", {"title": "Spring", "venue": ""}).status_code == 200
    assert bring(api, kind, file).status_code == 409
    assert count() == before


@pytest.mark.parametrize("kind", KINDS)
def test_another_event_is_another_competition(api: Api, kind: str) -> None:
    """The same title in another year, another title, or other people."""
    random = Random(kind)
    assert bring(api, kind, Event(random).write(kind, 2)).status_code == 201
    slugs = [
        bring(api, kind, Event(random, day="2025-03-04").write(kind, 2)).data["slug"],
        bring(api, kind, Event(random, title="Closed").write(kind, 2), title="Closed").data["slug"],
    ]
    others = Event(random).write(kind, 2)
    for name in NAMES:
        first, last = name.split()
        others = others.replace(last.encode(), last[::-1].encode()).replace(first.encode(), first[::-1].encode())
    assert [*slugs, bring(api, kind, others).data["slug"]] == ["open-2", "closed", "open-3"]


@long_way
@pytest.mark.sampled(every=9)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_competition_is_continued(api: Api, kind: str, seed: int) -> None:
    """Step by step it becomes what the last file alone gives in another league."""
    random = Random(f"{kind} {seed}")
    event = Event(random)
    rounds = random.randint(1, 3)
    missing = random.randint(0, 3)
    assert bring(api, kind, event.write(kind, rounds, missing=missing)).status_code == 201
    while rounds < 5 or missing:
        before, had = count(), 3 * rounds - missing
        rounds, missing = (
            (rounds, 0) if missing and random.random() < 0.5 else (min(5, rounds + 1), random.randint(0, 2))
        )
        file = event.write(kind, rounds, missing=missing)
        tried = bring(api, kind, file, into="open", dry_run="true")
        assert (tried.status_code, count()) == (200, before), tried.data
        continued = bring(api, kind, file, into="open")
        assert (continued.status_code, continued.data["slug"]) == (200, "open"), continued.data
        assert continued.data["games"] == 3 * rounds - missing - had
        assert bring(api, kind, file, into="open").data["games"] == 0
    assert count()[:4] == (1, 5, 15, 15)
    assert list(verify_league(League.objects.get(slug="club").pk).differences) == []
    make_league("elo", (), slug="other")
    at_once = api.post_file(
        "leagues/other/competitions/import/?create_players=true&title=Open", event.write(kind, 5), KINDS[kind]
    )
    assert at_once.status_code == 201
    here, there = (
        api.get(f"leagues/{slug}/competitions/open/standings/").data["results"] for slug in ("club", "other")
    )
    assert [(row["rank"], row["points"], row["tie_breaks"]) for row in here] == [
        (row["rank"], row["points"], row["tie_breaks"]) for row in there
    ]
    boards = [api.get(f"leagues/{slug}/leaderboard/").data["results"] for slug in ("club", "other")]
    ratings = [{row["player"]: row["games"] for row in board} for board in boards]
    assert ratings[0] == ratings[1]


@pytest.mark.parametrize("kind", KINDS)
def test_rounds_that_both_have_must_agree(api: Api, kind: str) -> None:
    random = Random(kind)
    event = Event(random)
    assert bring(api, kind, event.write(kind, 2)).status_code == 201
    before = count()
    results = [list(one) for one in event.results]
    results[1][2] = (results[1][2] + 0.5) % 1.5
    differing = bring(api, kind, event.write(kind, 3, results=results), into="open")
    assert (differing.status_code, [error["code"] for error in differing.data["errors"]]) == (409, ["differs"])
    assert "Round 2: Ada Ahrens – Bo Brandt has another result here." in differing.data["detail"]
    assert count() == before
    assert bring(api, kind, event.write(kind, 3), into="closed").status_code == 404
    assert api.post(f"{COMPETITIONS}open/cancel/", {"reason": "Rain"}).status_code == 200
    assert bring(api, kind, event.write(kind, 3), into="open").status_code == 409
    assert count() == before


def test_late_entries_and_byes_of_rounds_to_come_are_added(api: Api) -> None:
    """The seventh player is new in round 3, where two of the others have byes; the fourth asks for a bye in round 4."""
    event = Event(Random(3))
    assert bring(api, "trf", event.write("trf", 2)).status_code == 201
    lines = event.write("trf", 3).decode().splitlines()
    late = f"001    7 m    {'Gray, Gus':33} {'':4} {'':3} {'':11} {'1990':10}  1.0     "
    lines += [late + "  0000 - Z" * 2 + "  0000 - U", "240 H 004    4"]
    continued = bring(api, "trf", "\n".join(lines).encode(), into="open")
    assert continued.status_code == 200, continued.data
    assert (continued.data["entries"], continued.data["rounds"], continued.data["games"]) == (1, 1, 3)
    entries = api.get(f"{COMPETITIONS}open/entries/").data["results"]
    assert [(entry["number"], entry["name"], len(entry["byes"])) for entry in entries[3:]] == [
        (4, "Di Dorn", 1), (5, "Ed Ebert", 0), (6, "Flo Falk", 0), (7, "Gus Gray", 0),
    ]  # fmt: skip
    made = api.post(f"{COMPETITIONS}open/rounds/", {})
    assert made.status_code == 201, made.data
    assert [fixture["entries"] for fixture in made.data["fixtures"] if fixture["kind"] == "half_bye"] == [[4]]
    assert list(verify_league(League.objects.get().pk).differences) == []
    # An arbiter made round 4 meanwhile: it is not published.
    refused = bring(api, "trf", event.write("trf", 4), into="open")
    assert (refused.status_code, "Round 4 is not published here." in refused.data["detail"]) == (409, True)


def test_what_was_only_announced_is_no_import(api: Api) -> None:
    """A competition without a game, made by hand, does not keep its file out."""
    for name in NAMES:
        assert api.post("players/", {"handle": name.split()[0].lower(), "name": name}).status_code == 201
    body = {"slug": "spring", "title": "Open", "format": "swiss", "rounds": 5, "status": "open", "venue": "Graz"}
    assert api.post(COMPETITIONS, body).status_code == 201
    entries = [{"player": name.split()[0].lower()} for name in NAMES]
    assert api.post(f"{COMPETITIONS}spring/entries/", entries).status_code == 201
    made = bring(api, "trf", Event(Random(1)).write("trf", 2))
    assert (made.status_code, made.data["slug"]) == (201, "open")


def test_what_was_played_here_is_known(api: Api) -> None:
    """A competition that was made here, exported and imported again."""
    assert bring(api, "csv", Event(Random(1)).write("csv", 2)).status_code == 201
    SourceFile.objects.all().delete()
    before = count()
    for kind in ("json", "csv", "trf"):
        file = api.get(f"{COMPETITIONS}open/export/?format={kind}").content
        assert bring(api, kind, file).status_code == 409, kind
    assert count() == before


def test_who_waits_for_a_place_is_not_entered_by_a_file(api: Api) -> None:
    """Flo is on the waiting list: the arbiter decides, not the file."""
    for name in NAMES:
        assert api.post("players/", {"handle": name.split()[0].lower(), "name": name}).status_code == 201
    body = {"slug": "open", "title": "Open", "format": "free", "status": "open", "max_entries": 5}
    assert api.post(COMPETITIONS, body).status_code == 201
    entries = [{"player": name.split()[0].lower()} for name in NAMES]
    assert api.post(f"{COMPETITIONS}open/entries/", entries).status_code == 201
    assert api.post(f"{COMPETITIONS}open/start/", {}).status_code == 200
    before = count()
    refused = bring(api, "csv", Event(Random(1)).write("csv", 1), into="open")
    assert (refused.status_code, [error["code"] for error in refused.data["errors"]]) == (409, ["differs"])
    assert count() == before


def test_a_player_of_a_csv_is_one_entry_in_all_spellings(api: Api) -> None:
    """By name, handle, id, and another name; nobody plays against themselves or twice in a round."""
    ada = {"handle": "a1", "name": "Ada Ahrens", "aliases": ["Adi"], "external_ids": {"fide": "9001"}}
    assert api.post("players/", ada).status_code == 201
    texts = ["Ada Ahrens", "ADA  ahrens", "a1", "Adi", "fide:9001", "Ada\u200b Ahrens"]
    rows = [
        f"{number},{text},{other},1-0"
        for number, (text, other) in enumerate(zip(texts, ["Bo", "bo"] * 3, strict=True), 1)
    ]
    head = "round,player_1,player_2,result\n"
    made = bring(api, "csv", (head + "\n".join(rows)).encode())
    assert (made.status_code, made.data["entries"], made.data["games"]) == (201, 2, 6), made.data
    again = bring(api, "csv", (head + "\n".join([*rows, "7,Bo,Adi,1-0"])).encode(), into="open")
    assert (again.status_code, again.data["entries"], again.data["games"]) == (200, 0, 1), again.data
    before = count()
    for lines in (["1,Adi,a1,1-0"], ["1,Adi,Bo,1-0", "1,a1,Cy,1-0"]):
        refused = bring(api, "csv", (head + "\n".join(lines)).encode(), title="Other")
        assert [error["code"] for error in refused.data["errors"]] == ["twice_in_round"]
        assert (refused.status_code, refused.data["errors"][0]["line"]) == (422, len(lines) + 1)
    assert count() == before
