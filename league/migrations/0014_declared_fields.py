"""Leagues may declare fields of games, seats and players."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from league.core.db.migrating import AddColumn


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0013_rule_sets"),
    ]

    operations = [
        AddColumn(
            model_name="game",
            name="withheld",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text="Values of declared fields that not everyone may read.",
            ),
        ),
        AddColumn(
            model_name="league",
            name="has_fields",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.CreateModel(
            name="DeclaredField",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        max_length=40, validators=[django.core.validators.RegexValidator("^[a-z][a-z0-9_]*\\Z")]
                    ),
                ),
                ("title", models.CharField(max_length=80)),
                (
                    "of",
                    models.CharField(
                        choices=[("game", "Games"), ("seat", "Seats of games"), ("player", "Players")], max_length=6
                    ),
                ),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("choice", "One of several choices"),
                            ("number", "Number"),
                            ("text", "Text"),
                            ("yes_no", "Yes or no"),
                            ("date", "Date"),
                        ],
                        max_length=6,
                    ),
                ),
                ("choices", models.JSONField(blank=True, default=list, help_text="The choices, in their order.")),
                ("required", models.BooleanField(default=False)),
                (
                    "visible",
                    models.CharField(
                        choices=[
                            ("all", "Everyone who sees the league"),
                            ("members", "Members of the league"),
                            ("organisers", "Organisers"),
                        ],
                        default="all",
                        max_length=10,
                    ),
                ),
                (
                    "from_date",
                    models.DateField(blank=True, help_text="The first day with values. Empty: all days.", null=True),
                ),
                ("retired", models.BooleanField(default=False, help_text="Stored values stay; new ones are refused.")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=200)),
                (
                    "league",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="declared_fields",
                        to="league.league",
                    ),
                ),
            ],
            options={
                "ordering": ("league", "pk"),
            },
        ),
        migrations.CreateModel(
            name="GameValue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("value", models.CharField(max_length=200)),
                ("seat", models.PositiveSmallIntegerField(default=0)),
                (
                    "field",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="league.declaredfield",
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="league.game",
                    ),
                ),
                (
                    "league",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="league.league",
                    ),
                ),
            ],
            options={
                "ordering": ("game", "seat"),
            },
        ),
        migrations.CreateModel(
            name="PlayerFields",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "shown",
                    models.JSONField(blank=True, default=dict, help_text="Values that everyone may read, by key."),
                ),
                ("withheld", models.JSONField(blank=True, default=dict, help_text="Texts and other values.")),
                (
                    "league",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="player_fields",
                        to="league.league",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="declared_fields", to="league.player"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "fields of players",
                "ordering": ("league", "player"),
            },
        ),
        migrations.CreateModel(
            name="PlayerValue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("value", models.CharField(max_length=200)),
                (
                    "field",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="league.declaredfield",
                    ),
                ),
                (
                    "league",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="league.league",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="league.player",
                    ),
                ),
            ],
            options={
                "ordering": ("player",),
            },
        ),
        migrations.AddConstraint(
            model_name="declaredfield",
            constraint=models.UniqueConstraint(fields=("league", "key"), name="one_declared_field_a_key"),
        ),
        migrations.AddConstraint(
            model_name="declaredfield",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("key", ""), _negated=True), models.Q(("title", ""), _negated=True)),
                name="declared_field_is_named",
            ),
        ),
        migrations.AddConstraint(
            model_name="declaredfield",
            constraint=models.CheckConstraint(
                condition=models.Q(("of__in", ["game", "seat", "player"])), name="declared_field_of"
            ),
        ),
        migrations.AddConstraint(
            model_name="declaredfield",
            constraint=models.CheckConstraint(
                condition=models.Q(("type__in", ["choice", "number", "text", "yes_no", "date"])),
                name="declared_field_type",
            ),
        ),
        migrations.AddConstraint(
            model_name="declaredfield",
            constraint=models.CheckConstraint(
                condition=models.Q(("visible__in", ["all", "members", "organisers"])), name="declared_field_visible"
            ),
        ),
        migrations.AddIndex(
            model_name="gamevalue",
            index=models.Index(fields=["league", "field", "value", "game"], name="games_by_value"),
        ),
        migrations.AddConstraint(
            model_name="gamevalue",
            constraint=models.UniqueConstraint(fields=("league", "game", "field", "seat"), name="one_value_a_seat"),
        ),
        migrations.AddConstraint(
            model_name="playerfields",
            constraint=models.UniqueConstraint(fields=("league", "player"), name="fields_once_a_player"),
        ),
        migrations.AddIndex(
            model_name="playervalue",
            index=models.Index(fields=["league", "field", "value", "player"], name="players_by_value"),
        ),
        migrations.AddConstraint(
            model_name="playervalue",
            constraint=models.UniqueConstraint(fields=("league", "player", "field"), name="one_value_a_player"),
        ),
    ]
