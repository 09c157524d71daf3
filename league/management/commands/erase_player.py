"""``manage.py erase_player HANDLE``: forgets who a person is, after asking once more."""

from typing import Any

from django.core.management.base import CommandError

from league.cli.player_commands import ERASE_PLAYER
from league.core.players.selectors.streaks import ErasurePreview, preview_erasure
from league.core.players.services.erase import erase_player
from league.core.text.numbers import counted
from league.models import Player
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Forget a person in every league: a number is left."""

    entry = ERASE_PLAYER

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        player = find_player(options["handle"])
        if options["dry_run"] or not options["yes"]:
            self.stdout.write(foretold(preview_erasure(player), options))
        if options["dry_run"]:
            return
        if not options["yes"]:
            self.stdout.write(f"{player.name} ({player.handle}) will be Player {player.pk}. This cannot be taken back.")
            if input("Write the handle once more to go on: ").strip() != player.handle:
                raise CommandError("Nothing was done.")
        texts = not options["keep_texts"]
        done = erase_player(player, by=options["by"], texts=texts, parts=options["parts"])
        parts = [
            counted(done.leagues, "league"),
            f"{counted(done.editions, 'edition')} redacted",
            f"{counted(done.texts, 'text')} erased",
            *(f"{number} {what}" for what, number in done.places.items()),
        ]
        self.stdout.write(f"They are {done.player.name} ({done.player.handle}) now: {', '.join(parts)}.")


def find_player(handle: str) -> Player:
    """Return the player of a handle."""
    player = Player.objects.filter(handle=handle).first()
    if player is None:
        raise CommandError(f"No player is called “{handle}”.")
    return player


def foretold(going: ErasurePreview, options: dict[str, Any]) -> str:
    """Return what would go, and what would stay, line by line."""
    keep, parts = options["keep_texts"], options["parts"]
    goes = [] if keep else [*going.texts, *(going.parts if parts else [])]
    stays = [*(going.texts if keep else []), *([] if parts and not keep else going.parts)]
    counts = [(going.editions, "edition"), *((one.number, one.noun) for one in going.stored)]
    named = ", ".join(counted(number, noun) for number, noun in counts)
    lines = [f"In {counted(len(going.leagues), 'league')}; named in {named}."]
    for what, texts in (("go", goes), ("stay, though a name or a part of one stands in them", stays)):
        lines.append(f"{counted(len(texts), 'text')} {what}:")
        lines += [f"  {one.league.slug} {one.position}: {one.text}" for one in texts]
    return "\n".join(lines)
