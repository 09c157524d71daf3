"""Correct the result of a fixture: a preview that names what follows in the competition, and back to the round."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.competitions.organiser.now import build_now_address
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.result_consequences import describe_consequences, list_later_rounds
from league.core.dry_runs.services.diff import Diff
from league.core.dry_runs.services.run import preview_correction
from league.core.errors import RungsError
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import correct_game
from league.models import Game
from league.web.organiser.change_game import GameAction
from league.web.organiser.previewed_actions import DRY_RUN_REASON


@dataclass
class CorrectResult(GameAction):
    """A correction of the game of a fixture; ``new`` has its players."""

    loaded: LoadedCompetition
    state: FixtureState
    new: NewGame
    confirm_template, tab = "apps/competitions/organiser/confirm_result.html", "competitions"
    verb, label = "Correct", gettext_noop("Correct game {number}")
    done = gettext_noop("Game {number} was corrected; game {new} now counts.")

    @property
    def back(self) -> str:
        """The address of the fixture in its round."""
        return build_now_address(self.league, self.loaded.competition.slug, self.state)

    def usual_reason(self) -> str:
        """Return the reason of a typing error, "" once a later round was paired with it."""
        return "" if list_later_rounds(self.loaded, self.state) else _("The result was entered wrongly.")

    def list_consequences(self) -> list[str]:
        """Return what follows for later rounds and the standings."""
        results = [(line.score, line.place) for line in self.new.results]
        return describe_consequences(self.loaded, self.state, results)

    def put(self, error: RungsError) -> None:
        """Leave errors to the page of the fixture."""
        raise error

    def diff(self, **checks: Any) -> Diff:
        """Return the diff of the correction."""
        return self.dry_run(preview_correction, self.league, self.game.number, self.new, DRY_RUN_REASON, **checks)

    def change(self, reason: str) -> Game:
        """Correct the game."""
        number, check = self.game.number, self.expect()
        return correct_game(self.league.pk, number, self.new, reason=reason, username=self.by, precondition=check).game
