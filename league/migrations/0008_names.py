"""Keys of players' names, to find players by them, and the league in which a player was added."""

import django.db.models.deletion
from django.db import migrations, models

from league.core.db.migrating import AddColumn, AddIndexQuietly
from league.core.text.names import build_name_key

BATCH = 2000


def fill_name_keys(apps, schema_editor):
    """Write the key of every player's name, in batches."""
    players = apps.get_model("league", "Player").objects.order_by("pk")
    last = 0
    while batch := list(players.filter(pk__gt=last, name_key="").only("pk", "name")[:BATCH]):
        for player in batch:
            player.name_key = build_name_key(player.name)
        players.bulk_update(batch, ["name_key"])
        last = batch[-1].pk


def rewrite_alias_keys(apps, schema_editor):
    """Write the keys of aliases with invisible marks anew; a key that another alias has stays as it was."""
    aliases = apps.get_model("league", "Alias").objects.order_by("pk")
    for alias in aliases.only("pk", "text", "key").iterator(chunk_size=BATCH):
        key = build_name_key(alias.text)
        if key and key != alias.key and not aliases.filter(key=key).exists():
            aliases.filter(pk=alias.pk).update(key=key)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("league", "0007_competitions"),
    ]

    operations = [
        AddColumn("player", "name_key", models.CharField(db_default="", editable=False, max_length=240)),
        AddColumn(
            "player",
            "added_in",
            models.ForeignKey(
                "league.league",
                null=True,
                editable=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                db_constraint=False,
                db_index=False,
                related_name="+",
            ),
        ),
        migrations.RunPython(fill_name_keys, migrations.RunPython.noop),
        migrations.RunPython(rewrite_alias_keys, migrations.RunPython.noop),
        AddIndexQuietly("player", models.Index(fields=["name_key"], name="players_by_name_key")),
        AddIndexQuietly("player", models.Index(fields=["added_in"], name="players_by_league")),
    ]
