"""Games that are corrected, voided and restored at the desk."""

from typing import Any

from league.models import League
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import dated_sheet
from tests.helpers.dry_run_builders import build_two_ladders
from tests.helpers.ladder_builders import close

GAMES = "/admin/leagues/club/games/"


def build_closed_club() -> League:
    """Return the league of the dry runs, with both of its Marches closed."""
    league = build_two_ladders()
    close(league, "2024-03", "strength")
    return league


def game_url(number: int, what: str) -> str:
    """Return where a game is corrected, voided or restored."""
    return f"{GAMES}{number}/{what}/"


def turned_sheet(**more: Any) -> dict[str, Any]:
    """Return the sheet of game 1 with the result turned round."""
    return dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T00:00", **more)


def yes_fields(page: Any, reason: str = "misread", choices: dict[str, str] | None = None) -> dict[str, Any]:
    """Return what the key of a confirming page sends."""
    context = page.context
    becomes = {f"becomes-{name}": choice for name, choice in (choices or {}).items()}
    own = {"seen": context["seen"], "once": context["once"], "asked": context["asked"], "reason": reason}
    return {**dict(context["fields"]), **own, **becomes, "_commit": "yes"}


def build_one_game() -> League:
    """Return a league with one game: Anna beats Ben, sixteen points of Elo."""
    league = make_league(parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0)))
    return league
