"""Templates that can be chosen for a new league, each with a sample board of its rating system."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from league.core.leagues.services.templates import TEMPLATES, Template, list_templates
from league.core.text.names import fold_accents
from league.web.public.charts.score_lines import draw_small_lines
from ratings.describe.sample_board import SampleBoard, compute_sample_board
from ratings.registry import get_system

#: Templates on the first page of an empty site: for any game, for two, for teams, and for tables.
FIRST_TEMPLATES = ("elo", "table-tennis", "foosball", "hearts")
#: The template offered first, which suits any game with a winner.
FITS_ANY_GAME = "elo"
#: The template of the picture beside the first ones, whose boards they show themselves.
PICTURED = "squash"


def compute_template_board(template: Template) -> SampleBoard:
    """Return the sample board of a template."""
    keys = [one.key for one in TEMPLATES]
    turn = 1 + keys.index(template.key) if template.key in keys and template.key != FITS_ANY_GAME else 0
    return compute_sample_board(get_system(template.system).from_json(template.parameters), template.seats, turn)


@dataclass(frozen=True)
class TemplatePick:
    """A template that can be chosen, with its sample board; ``words``: what a search looks at."""

    template: Template
    board: SampleBoard
    words: str


def build_picks(templates: Sequence[Template], text: str = "") -> list[TemplatePick]:
    """Return the templates that have every word of a text in title, description, game or system; without accents."""
    wanted = fold_accents(text).split()
    ordered = sorted(templates, key=lambda one: one.key != FITS_ANY_GAME)
    picks = [TemplatePick(one, compute_template_board(one), _list_words(one)) for one in ordered]
    return [pick for pick in picks if all(word in pick.words for word in wanted)]


def _list_words(template: Template) -> str:
    """Return the words by which a template is found: those of the page's language, and the English ones."""
    english = next((one for one in TEMPLATES if one.key == template.key), template)
    return " ".join(dict.fromkeys(map(_join_words, (template, english))))


def _join_words(template: Template) -> str:
    names = f"{template.title} {template.game} {template.also}"
    # Also as one word: tabletennis.
    together = "".join(names.split())
    return fold_accents(f"{names} {together} {template.says} {get_system(template.system).title}")


@dataclass(frozen=True)
class SamplePicture:
    """A sample board with the lines of its players (as ``SmallRace.paths``), for the first page of an empty site."""

    board: SampleBoard
    paths: Sequence[tuple[str, str]]
    system: str
    games: int


def build_empty_site() -> dict[str, Any]:
    """Return the context of the first page of a site without leagues: templates, and a picture of a board."""
    by_key = {pick.template.key: pick for pick in build_picks(list_templates())}
    pick = by_key[PICTURED]
    paths = draw_small_lines({index: list(enumerate(line)) for index, line in enumerate(pick.board.lines)})
    system = str(get_system(pick.template.system).title)
    games = len(pick.board.lines[0]) - 1
    return {
        "picks": [by_key[key] for key in FIRST_TEMPLATES],
        "sample": SamplePicture(pick.board, paths, system, games),
    }
