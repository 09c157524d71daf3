"""``rungs erase-player``: deletes a person's names after a confirmation."""

from typing import Any

from django.core.management.base import CommandError

from league.cli.player_commands import ERASE_PLAYER
from league.core.players.selectors.erasure_preview import ErasurePreview, preview_erasure
from league.core.players.services.erase import erase_player
from league.core.text.display_formats import counted
from league.models import Player
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Replace a person's names with a number in every league."""

    entry = ERASE_PLAYER

    def handle(self, *args: Any, **options: Any) -> None:
        """Show what would be erased, ask for confirmation, and erase it."""
        player = find_player(options["handle"])
        if options["dry_run"] or not options["yes"]:
            self.stdout.write(describe_erasure(preview_erasure(player), options))
        if options["dry_run"]:
            return
        if not options["yes"]:
            self.stdout.write(f"{player.name} ({player.handle}) will be Player {player.pk}. This cannot be undone.")
            if input("Enter the handle again to continue: ").strip() != player.handle:
                raise CommandError("Nothing was erased.")
        texts = not options["keep_texts"]
        done = erase_player(player, by=options["by"], texts=texts, parts=options["parts"])
        parts = [
            counted(done.leagues, "league"),
            f"{counted(done.editions, 'edition')} redacted",
            f"{counted(done.texts, 'text')} erased",
            *(f"{number} {what}" for what, number in done.places.items()),
        ]
        self.stdout.write(f"They are now called {done.player.name} ({done.player.handle}): {', '.join(parts)}.")


def find_player(handle: str) -> Player:
    """Return the player of a handle; raises CommandError."""
    player = Player.objects.filter(handle=handle).first()
    if player is None:
        raise CommandError(f"No player is called “{handle}”.")
    return player


def describe_erasure(preview: ErasurePreview, options: dict[str, Any]) -> str:
    """Return what would be erased and what would be kept, as lines."""
    keep, parts = options["keep_texts"], options["parts"]
    erased = [] if keep else [*preview.texts, *(preview.parts if parts else [])]
    kept = [*(preview.texts if keep else []), *([] if parts and not keep else preview.parts)]
    counts = [(preview.editions, "edition"), *((row.number, row.noun) for row in preview.stored)]
    named = ", ".join(counted(number, noun) for number, noun in counts)
    lines = [f"In {counted(len(preview.leagues), 'league')}; named in {named}."]
    for outcome, texts in (("will be erased", erased), ("with a name or part of one will be kept", kept)):
        lines.append(f"{counted(len(texts), 'text')} {outcome}:")
        lines += [f"  {text.league.slug} {text.position}: {text.text}" for text in texts]
    return "\n".join(lines)
