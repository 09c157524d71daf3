"""``rungs league``: lists, shows and creates leagues."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from league.cli.league_commands import LEAGUE
from league.core.leaderboard.selectors.current_board import BoardRow, build_listing
from league.core.leaderboard.selectors.pages import load_board_page
from league.core.leagues.services.leagues import create_league
from league.core.permissions import find_visible_leagues
from league.core.rules.selectors.rules import find_rule_to_show, load_decimals, load_rules
from league.core.text.display_formats import format_count, format_number, format_signed
from league.models import League
from league.models.leagues import SETTINGS
from league.web.public.selectors.front import count_games
from league.web.terminal.operator import OPERATOR, OperatorCommand, get_league
from league.web.terminal.output import format_table
from league.web.terminal.systems import read_system


class Command(OperatorCommand):
    """List, show or create leagues."""

    entry = LEAGUE

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the action."""
        actions = {"list": self.list_leagues, "show": self.show_league, "create": self.create_league}
        actions[options["action"]](options)

    def list_leagues(self, options: dict[str, Any]) -> None:
        """Print all leagues."""
        leagues = list(find_visible_leagues(OPERATOR).order_by("slug"))
        games = count_games(leagues)
        rows = [
            [league.slug, league.title, league.visibility, format_count(games[league.pk], "game")] for league in leagues
        ]
        text = format_table(rows) or "There is no league yet. Create one: rungs league create SLUG TITLE"
        self.write_result(options, [serialize_league(league) for league in leagues], text)

    def show_league(self, options: dict[str, Any]) -> None:
        """Print a league with its leaderboard."""
        league = get_league(options["league"])
        rows = load_board_page(league, build_listing(league, timezone.now()), max(options["rows"], 0)).rows
        value = {**serialize_league(league), "leaderboard": [row.record for row in rows]}
        self.write_result(options, value, "\n".join([describe_league(league), format_board(league, rows)]).strip())

    def create_league(self, options: dict[str, Any]) -> None:
        """Create a league with its rating system."""
        rating = read_system(options["system"])
        visibility = League.Visibility.PRIVATE if options["private"] else League.Visibility.PUBLIC
        settings = {"title": options["title"], "time_zone": options["time_zone"], "visibility": visibility}
        with transaction.atomic():
            league = create_league(options["league"], options["title"], settings=settings, by=options["by"], **rating)
            created = serialize_league(league)
            transaction.set_rollback(options["dry_run"])
        text = f"Created {league.title} as {league.slug}, {describe_rating(league)}."
        if options["dry_run"]:
            text = f"Nothing was saved. {league.title} could be created as {league.slug}."
        self.write_result(options, {"dry_run": options["dry_run"], **created}, text)


def describe_league(league: League) -> str:
    """Return a line about a league."""
    games = format_count(count_games([league])[league.pk], "game")
    return f"{league.title} ({league.slug}): {games}, {describe_rating(league)}, {league.visibility}."


def describe_rating(league: League) -> str:
    """Return the rating system of a league."""
    rule = find_rule_to_show(load_rules(league), timezone.now())
    return f"rated by {rule.system}" if rule else "without a rating system"


def format_board(league: League, rows: Sequence[BoardRow]) -> str:
    """Return rows of a leaderboard as a table; "" without any row."""
    decimals = load_decimals(league)
    table = [
        [row.rank, row.name, format_number(row.score, decimals), format_signed(row.change, decimals)] for row in rows
    ]
    return format_table([["Rank", "Player", "Rating", "Last change"], *table]) if table else ""


def serialize_league(league: League) -> dict[str, Any]:
    """Return a league as JSON types, with the names of the API."""
    rule = find_rule_to_show(load_rules(league), timezone.now())
    in_force = {"from": rule.from_date, "system": rule.system, "parameters": rule.parameters} if rule else None
    settings = {name: getattr(league, name) for name in SETTINGS}
    return {"slug": league.slug, **settings, "rule": in_force, "games": count_games([league])[league.pk]}
