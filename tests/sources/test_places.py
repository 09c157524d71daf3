"""A record's fields are written by hand in few places; everything else asks the record."""

from collections import Counter
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

#: Model, record, form or page, template, file format, and one more.
PLACES = 6
#: Records with more places: how many, which only falls, and why they are not fewer.
MORE = {
    "Result": (43, "A seat, a player, a score and a place are what sheets, sums and pages of any game speak of."),
    "Entry": (
        11,
        "Files, pasted lines, the form and the API each have their own order and words for what an entry brings.",
    ),
    "Competition": (
        15,
        "Input, answer, example, form and report file differ; the final standings' hash needs its own list.",
    ),
    "League": (18, "Its settings are grouped and labelled by hand; the marks of its log and replays are read in SQL."),
    "Game": (12, "Each kind of file, form and answer has its own order and reader; ``verify`` is hot."),
    "Edition": (12, "Its document and its columns are compared, so each names the facts; each answer has an order."),
    "Fixture": (
        15,
        "Competition, number and round are of rounds and jobs, too; the state is a tuple, as rows are too slow; its "
        "words match and board are those of sentences.",
    ),
    "Rule": (13, "Adopting, supposing and previewing one take its choices one by one: half are signatures."),
    "Adjustment": (12, "Half are its models, its record and two tables of the log; a replay has it as an event."),
    "Decision": (
        9,
        "Half are its model, record and name; others an edition's payload, headings of tables, changes by hand.",
    ),
    "DeclaredField": (
        9,
        "What is declared, what may change, what is read and an example differ; the others are its record and schema.",
    ),
    "Context": (
        11,
        "Input, change, answer and service each name its five members; a rule of its own is made of two of them.",
    ),
    "Season": (10, "Half of its fields have the names of a competition's, so that lists of those count."),
    "SeasonPart": (
        9,
        "Its five fields are its key, too: the order, the choice and the answer name them.",
    ),
    "Round": (7, "Rounds are made by pairing, by hand and from files; what asks a worker for one is a job."),
    "Period": (7, "A dry run, a title and an answer tell of one; it is derived, so a service makes it."),
    "LadderRule": (8, "Three are sentences about it; the others its model, record, log, form and writer."),
    "Report": (7, "A person's file, an open report's line and the log have other members; two places are sentences."),
}
SIZES = Path(__file__).parents[2] / "script" / "sizes"


def load_sizes() -> ModuleType:
    """Return the script as a module."""
    loader = SourceFileLoader("sizes", str(SIZES))
    sizes = ModuleType(loader.name)
    loader.exec_module(sizes)
    return sizes


def test_a_records_fields_stand_in_few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = load_sizes()
    monkeypatch.chdir(SIZES.parents[1])
    files = [path for path in sizes.list_files() if path.parts[0] in sizes.PRODUCT]
    places = list(sizes.find_places({path: sizes.ast.parse(path.read_text(encoding="utf-8")) for path in files}))
    counted = Counter(model for model, _, _ in places)
    assert {"Game", "Result", "Fixture", "Rule"} <= counted.keys()
    many = {model: count for model, count in counted.items() if count > MORE.get(model, (PLACES, ""))[0]}
    assert many == {}, [f"{model}: {path}:{line}" for model, path, line in places if model in many]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("class Sheet:\n    venue: str\n    game: int\n    table: int\n    kind = 'x'", 1),
        ("build(venue=1, table=2, game=3)", 0),
        ("build(row.venue, row.table, row.game, kind=4)", 1),
        ("names = ('venue', 'table', 'game', 'kind')", 1),
        ("row = {'venue': 1, 'table': 2, 'game': 3, 'kind': 4}", 1),
        ("def build(venue, table, *, game, kind): pass", 1),
        ("text = 'venue table game kind of a fixture'", 1),
        ("text = 'venue table of a fixture'", 0),
    ],
)
def test_the_script_sees_a_place(text: str, found: int) -> None:
    sizes = load_sizes()
    fields = "".join(f"    {name} = a()\n" for name in ("venue", "table", "game", "kind"))
    model = f"class Fixture(models.Model):\n{fields}Record(Fixture, '')\n"
    folder = Path("league/apps/competitions")
    trees = {folder / "models.py": sizes.ast.parse(model), folder / "views.py": sizes.ast.parse(text)}
    assert sum(path.name == "views.py" for _, path, _ in sizes.find_places(trees)) == found
