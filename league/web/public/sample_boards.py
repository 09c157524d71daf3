"""Templates that can be chosen for a new league, each with a sample board of its rating system."""

from collections.abc import Sequence
from dataclasses import dataclass

from league.core.leagues.services.templates import Template
from league.core.text.names import fold_accents
from ratings.describe.sample_board import SampleBoard, compute_sample_board
from ratings.registry import get_system

#: The template offered first, which suits any game with a winner.
FITS_ANY_GAME = "elo"


def compute_template_board(template: Template) -> SampleBoard:
    """Return the sample board of a template."""
    return compute_sample_board(get_system(template.system).from_json(template.parameters), template.seats)


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
    """Return the words by which a template is found."""
    return fold_accents(f"{template.title} {template.game} {template.says} {get_system(template.system).title}")
