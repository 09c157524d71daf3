"""A game that replaces another one keeps its place among games of the same time.

Every game gets its own number as order key, one that replaces another that game's. Where this moves a game that counts
among others of its time, the league is stale from there and is replayed by the sweep.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q


def give_keys(apps, schema_editor):
    Game = apps.get_model("league", "Game")
    RatingChange = apps.get_model("league", "RatingChange")
    Game.objects.update(order_key=F("number"))
    RatingChange.objects.update(order_key=F("number"))
    keys = {}
    replacing = Game.objects.filter(replaces__isnull=False).order_by("league", "number")
    rows = replacing.values_list("pk", "league", "played_at", "number", "replaces", "replaces__number", "voided_at")
    moments = set()
    for pk, league, played_at, number, replaced, first, voided_at in rows.iterator(chunk_size=2000):
        keys[pk] = keys.get(replaced, first)
        Game.objects.filter(pk=pk).update(order_key=keys[pk])
        if voided_at is None:
            lines = RatingChange.objects.filter(league=league, at=played_at, number=number)
            lines.update(order_key=keys[pk])
            moments.add((league, played_at))
    # A mark from the first game of its time on is right whatever the keys are.
    apps.get_model("league", "League").objects.update(stale_key=0, touched_key=0)
    for league, played_at in moments:
        mark(apps, league, played_at)


def mark(apps, league, played_at):
    """Mark a league as stale from the first game of a time that has another place than before."""
    Game, League = apps.get_model("league", "Game"), apps.get_model("league", "League")
    games = Game.objects.filter(league=league, played_at=played_at, kind="played", voided_at__isnull=True)
    before = list(games.order_by("number").values_list("order_key", flat=True))
    moved = [key for key, was in zip(sorted(before), before) if key != was]
    if moved:
        earlier = Q(stale_from__isnull=True) | Q(stale_from__gt=played_at)
        League.objects.filter(earlier, pk=league).update(stale_from=played_at, stale_key=moved[0])


def settle_checks(apps, schema_editor):
    """Have PostgreSQL check now what it would check at the commit: it alters no table with checks to come."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.connection.check_constraints()


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0015_logins"),
    ]

    operations = [
        migrations.RenameField(model_name="league", old_name="stale_number", new_name="stale_key"),
        migrations.RenameField(model_name="league", old_name="touched_number", new_name="touched_key"),
        migrations.AlterModelOptions(name="game", options={"ordering": ("-played_at", "-order_key", "-number")}),
        migrations.AlterModelOptions(name="ratingchange", options={"ordering": ("-at", "-order_key", "-step")}),
        migrations.AddField(
            model_name="game",
            name="order_key",
            field=models.PositiveBigIntegerField(
                default=0, editable=False, help_text="Its place among games of the same time."
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="ratingchange",
            name="order_key",
            field=models.PositiveBigIntegerField(default=0, help_text="The game's place among games of the same time."),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="game",
            name="replaces",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="replacements",
                to="league.game",
            ),
        ),
        migrations.RunPython(give_keys, migrations.RunPython.noop),
        migrations.RunPython(settle_checks, migrations.RunPython.noop),
        migrations.RemoveIndex(model_name="game", name="game_order"),
        migrations.RemoveIndex(model_name="ratingchange", name="change_order"),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(fields=["league", "played_at", "order_key", "number"], name="game_order"),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                condition=models.Q(("replaces__isnull", False)), fields=["replaces"], name="games_that_replace"
            ),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                condition=models.Q(("voided_at__isnull", False)), fields=["order_key", "league"], name="void_order_keys"
            ),
        ),
        migrations.AddIndex(
            model_name="ratingchange",
            index=models.Index(fields=["league", "at", "order_key"], name="change_order"),
        ),
        migrations.AddConstraint(
            model_name="game",
            constraint=models.UniqueConstraint(
                condition=models.Q(("voided_at__isnull", True)),
                fields=("order_key", "league"),
                name="one_game_counts_an_order_key",
            ),
        ),
        migrations.AddConstraint(
            model_name="game",
            constraint=models.CheckConstraint(
                condition=models.Q(("order_key__gte", 1)), name="order_keys_begin_at_one"
            ),
        ),
    ]
