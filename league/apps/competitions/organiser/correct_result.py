"""Correct the result of a fixture, and back to the round; what follows in the competition from any correction."""

from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.competitions.models import Fixture
from league.apps.competitions.organiser.now import build_now_address
from league.apps.competitions.selectors.competition_data import (
    FixtureState,
    LoadedCompetition,
    ResultLine,
    load_competition,
)
from league.apps.competitions.selectors.result_consequences import describe_consequences, list_later_rounds
from league.core.dry_runs.services.diff import Diff
from league.core.dry_runs.services.run import preview_correction
from league.core.errors import RungsError
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import compute_recorded, correct_game
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import resolve_players
from league.models import Game, League
from league.web.organiser.change_game import GameAction
from league.web.organiser.previewed_actions import DRY_RUN_REASON


@dataclass
class CorrectResult(GameAction):
    """A correction of the game of a fixture; ``new`` has its players."""

    loaded: LoadedCompetition
    state: FixtureState
    new: NewGame
    tab = "competitions"
    verb, label = "Correct", gettext_noop("Correct game {number}")
    done = gettext_noop("Game {number} was corrected; game {new} now counts.")

    @property
    def back(self) -> str:
        """The address of the fixture in its round."""
        return build_now_address(self.league, self.loaded.competition.slug, self.state)

    def usual_reason(self) -> str:
        """Return the reason of a typing error, "" once a later round was paired with it."""
        return "" if list_later_rounds(self.loaded, self.state) else _("The result was entered wrongly.")

    def find_replacement(self) -> NewGame:
        """Return the game with its new result."""
        return self.new

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


def show_consequences(league: League, game: Game, new: NewGame | Game | None, viewer: Viewer) -> SafeString | str:
    """Return what follows in the competition as HTML if ``new`` counts instead of a game, "" for nothing."""
    fixture = (
        Fixture.objects.filter(league=league, game__order_key=game.order_key).select_related("competition").first()
    )
    if fixture is None:
        return ""
    fixture.competition.league = league
    loaded = load_competition(fixture.competition)
    loaded = loaded if viewer.may("arbitrate", league) else loaded.hide_unpublished()
    state = next((one for one in loaded.fixtures if one.number == fixture.number), None)
    if state is None or (state.game is None and not isinstance(new, Game)):
        return ""
    sentences = describe_consequences(loaded, state, _list_result_lines(league, loaded, new, viewer))
    context = {"sentences": sentences}
    return render_to_string("apps/competitions/organiser/consequences.html", context) if sentences else ""


def _list_result_lines(
    league: League, loaded: LoadedCompetition, new: NewGame | Game | None, viewer: Viewer
) -> list[ResultLine]:
    """Return the lines of a game that is to count, [] for none."""
    if new is None:
        return []
    if isinstance(new, Game):
        return [ResultLine(line.player_id, line.score, line.place) for line in new.results.order_by("seat")]
    # With the results that follow from sets and worksheets.
    results = compute_recorded(league, loaded.now, new).results
    known = resolve_players([line.player for line in results], league, viewer)
    people = [one.player.pk if (one := known[line.player].one) else 0 for line in results]
    return [ResultLine(player, line.score, line.place) for player, line in zip(people, results, strict=True)]
