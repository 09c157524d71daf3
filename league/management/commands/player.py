"""``rungs player``: lists, shows and adds players."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from league.cli.player_commands import PLAYER
from league.core.players.selectors.cards import PlayerCard, load_card
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.search import find_all_players
from league.core.players.services.players import add_player
from league.core.rules.selectors.rules import load_decimals
from league.core.text.display_formats import format_count, format_number
from league.models import League, Player, Rating
from league.web.terminal.operator import OperatorCommand
from league.web.terminal.output import format_table


class Command(OperatorCommand):
    """List, show or add players."""

    entry = PLAYER

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the action."""
        actions = {"list": self.list_players, "show": self.show_player, "add": self.add_player}
        actions[options["action"]](options)

    def list_players(self, options: dict[str, Any]) -> None:
        """Print players by handle."""
        players = list(find_all_players(options["search"])[: max(options["limit"], 0)])
        rows = [[player.handle, player.name, "" if player.active else "inactive"] for player in players]
        table = format_table([["Handle", "Name", ""], *rows])
        self.write_result(options, [serialize_player(player) for player in players], table)

    def show_player(self, options: dict[str, Any]) -> None:
        """Print a player with their ratings."""
        player, now = find_player(options["handle"]), timezone.now()
        rated = Rating.objects.filter(player=player).values("league")
        cards = [
            (league, load_card(league, player, now)) for league in League.objects.filter(pk__in=rated).order_by("slug")
        ]
        lines = [f"{player.name} ({player.handle}), in {format_count(len(cards), 'league')}."]
        for league, card in cards:
            rank = f"rank {card.rank}" if card.rank else "not listed"
            rating = format_number(card.score, load_decimals(league))
            lines.append(f"{league.title}: {rating}, {rank}, {format_count(card.games, 'game')}")
        leagues = [serialize_card(league, card) for league, card in cards]
        self.write_result(options, {**serialize_player(player), "leagues": leagues}, "\n".join(lines))

    def add_player(self, options: dict[str, Any]) -> None:
        """Add a player."""
        with transaction.atomic():
            player = add_player(options["handle"], options["name"], options["alias"])
            added = serialize_player(player)
            transaction.set_rollback(options["dry_run"])
        text = f"Added {player.name} as {player.handle}."
        if options["dry_run"]:
            text = f"Nothing was saved. {player.name} could be added as {player.handle}."
        self.write_result(options, {"dry_run": options["dry_run"], **added}, text)


def serialize_player(player: Player) -> dict[str, Any]:
    """Return a player as JSON types, with the names of the API."""
    aliases = player.aliases.exclude(text=player.handle).order_by("key").values_list("text", flat=True)
    return {"handle": player.handle, "name": player.name, "aliases": list(aliases), "active": player.active}


def serialize_card(league: League, card: PlayerCard) -> dict[str, Any]:
    """Return a player's rating in a league as JSON types."""
    names = ("rating", "score", "rank", "games", "peak", "last_at", "provisional", "active")
    return {"league": league.slug, **{name: getattr(card, name) for name in names}}
