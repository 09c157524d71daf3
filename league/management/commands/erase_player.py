"""``rungs erase-player``: deletes a person's names after a confirmation."""

from typing import Any

from django.core.management.base import CommandError

from league.cli.player_commands import ERASE_PLAYER
from league.core.players.selectors.erasure_preview import ErasurePreview, preview_erasure
from league.core.players.selectors.resolve import find_one
from league.core.players.services.erase import erase_player
from league.core.text.display_formats import format_count
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Replace a person's names with a number in every league."""

    entry = ERASE_PLAYER

    def handle(self, *args: Any, **options: Any) -> None:
        """Show what would be erased, ask for confirmation, and erase it."""
        player = find_one(options["handle"]).original
        if options["dry_run"] or not options["yes"]:
            self.stdout.write(describe_erasure(preview_erasure(player), options))
        if options["dry_run"]:
            return
        if not options["yes"]:
            self.stdout.write(f"{player.name} ({player.handle}) will be Player {player.pk}. This cannot be undone.")
            if input("Enter the handle again to continue: ").strip() != player.handle:
                raise CommandError("Nothing was erased.")
        texts = not options["keep_texts"]
        result = erase_player(player, username=options["by"], texts=texts, parts=options["parts"])
        changes = [
            format_count(result.leagues, "league"),
            f"{format_count(result.editions, 'edition')} redacted",
            f"{format_count(result.texts, 'text')} erased",
            *(f"{number} {place}" for place, number in result.places.items()),
        ]
        self.stdout.write(f"They are now called {result.player.name} ({result.player.handle}): {', '.join(changes)}.")


def describe_erasure(preview: ErasurePreview, options: dict[str, Any]) -> str:
    """Return what would be erased and what would be kept, as lines."""
    keep, erase_parts = options["keep_texts"], options["parts"]
    erased = [] if keep else [*preview.texts, *(preview.parts if erase_parts else [])]
    retained = [*(preview.texts if keep else []), *([] if erase_parts and not keep else preview.parts)]
    counts = [(preview.editions, "edition"), *((row.number, row.noun) for row in preview.stored)]
    places = ", ".join(format_count(number, noun) for number, noun in counts)
    lines = [f"In {format_count(len(preview.leagues), 'league')}; named in {places}."]
    for outcome, texts in (("will be erased", erased), ("with a name or part of one will be kept", retained)):
        lines.append(f"{format_count(len(texts), 'text')} {outcome}:")
        lines += [f"  {text.league.slug} {text.position}: {text.text}" for text in texts]
    return "\n".join(lines)
