"""``manage.py erase_player HANDLE``: forgets who a person is, after asking once more."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from league.errors import RungsError
from league.figures import counted
from league.models import Player
from league.services.players.erasing import Erased, erase_player


class Command(BaseCommand):
    """Forget a person in every league: a number is left."""

    help = "Forgets who a person is, in every league and for good: handle and name become a number, figures stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take who it is."""
        parser.add_argument("handle", help="the person's handle")
        parser.add_argument("--keep-texts", action="store_true", help="leave notes and reasons that name them")
        parser.add_argument("--yes", action="store_true", help="do not ask once more")
        parser.add_argument("--by", default="operator", help="who is named for it in the logs (operator)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, or say why not."""
        player = find_player(options["handle"])
        if not options["yes"]:
            self.stdout.write(f"{player.name} ({player.handle}) will be Player {player.pk}. This cannot be taken back.")
            if input("Write the handle once more to go on: ").strip() != player.handle:
                raise CommandError("Nothing was done.")
        try:
            done = erase_player(player, by=options["by"], texts=not options["keep_texts"])
        except RungsError as error:
            raise CommandError(error.detail) from None
        self.stdout.write(said(done))


def find_player(handle: str) -> Player:
    """Return the player of a handle."""
    player = Player.objects.filter(handle=handle).first()
    if player is None:
        raise CommandError(f"There is no player “{handle}”.")
    return player


def said(done: Erased) -> str:
    """Return what was done as a sentence."""
    parts = [
        counted(done.leagues, "league"),
        f"{counted(done.editions, 'edition')} redacted",
        f"{counted(done.texts, 'text')} erased",
        *(f"{number} {what}" for what, number in done.places.items()),
    ]
    return f"They are {done.player.name} ({done.player.handle}) now: {', '.join(parts)}."
