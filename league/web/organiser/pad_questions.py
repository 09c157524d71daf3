"""Questions before a game is recorded on the score pad: a press of one key records it all the same."""

from collections.abc import Mapping
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _

from league.core.games.services.similar_games import ContradictingGame, SimilarGame
from league.models import Game
from league.web.organiser.forms import parse_whole_number
from league.web.organiser.previewed_actions import list_submitted_fields
from league.web.organiser.score_sheets import convert_to_local

#: What a sheet sends again once its question is answered: the number of the similar game, and the marks of what waits.
SIMILAR, CONTRADICTED = "_again", "_over"


class PadQuestion(NamedTuple):
    """A question: its text, what follows, the key's label, what it sends, the sheet's fields, and the similar game."""

    text: str
    hint: str
    label: str
    answer: tuple[str, str]
    fields: list[tuple[str, str]]
    similar: Game | None = None


def read_confirmed_number(data: Mapping[str, str]) -> int | None:
    """Return the number of the similar game that was confirmed to be another one."""
    return parse_whole_number(data.get(SIMILAR, ""), 9)


def read_confirmed_marks(data: Mapping[str, str]) -> list[str]:
    """Return the marks of what waits and may be settled by another result."""
    return data.get(CONTRADICTED, "").split()


def ask_about_similar_game(data: QueryDict, error: SimilarGame) -> PadQuestion:
    """Ask whether a game is another one than that with the same players and scores."""
    game = error.game
    text = _("Game {number} at {time} has the same players and scores.")
    return PadQuestion(
        text.format(number=game.number, time=f"{convert_to_local(game.played_at, game.league):%H:%M}"),
        "",
        _("Record it again"),
        (SIMILAR, str(game.number)),
        list_submitted_fields(data),
        game,
    )


def ask_about_contradiction(data: QueryDict, error: ContradictingGame) -> PadQuestion:
    """Ask whether a game settles what waits for the same and says otherwise."""
    earlier = [(SIMILAR, str(data[SIMILAR]))] if SIMILAR in data else []
    return PadQuestion(
        error.detail,
        error.consequence,
        _("Record it all the same"),
        (CONTRADICTED, " ".join(error.marks)),
        [*list_submitted_fields(data), *earlier],
    )
