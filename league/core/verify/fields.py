"""Verification of the rows by which games and players are found: they follow from the values of declared fields."""

from collections import Counter
from collections.abc import Iterator

from league.core.fields.selectors.fields import load_fields
from league.core.fields.services.values import build_game_rows, build_player_rows, iter_games_with_values
from league.core.text.stored_messages import StoredMessage, phrase_many
from league.models import GameValue, League, PlayerFields, PlayerValue


def find_value_problems(league: League) -> Iterator[StoredMessage]:
    """Yield a message for each declared field whose rows differ from the facts."""
    fields = load_fields(league)
    if not fields:
        return
    games = {row for batch in iter_games_with_values(league) for row in build_game_rows(league, fields, batch)}
    names = ("league", "field", "value", "game", "seat")
    wrong = Counter(row[1] for row in games ^ set(GameValue.objects.filter(league=league).values_list(*names)))
    facts = PlayerFields.objects.filter(league=league)
    players = {(row.field_id, row.value, row.player_id) for row in build_player_rows(fields, facts)}
    stored = PlayerValue.objects.filter(league=league).values_list("field", "value", "player")
    wrong += Counter(row[0] for row in players ^ set(stored))
    for declared in fields:
        if wrong[declared.pk]:
            count = wrong[declared.pk]
            yield phrase_many(
                "{count} row by which values of the field {field} are found differs from the facts.",
                "{count} rows by which values of the field {field} are found differ from the facts.",
                count,
                count=count,
                field=declared.key,
            )
