"""Adjustments share with games who recorded and who voided them; the database does not change."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0011_neutral_names"),
    ]

    operations = [
        migrations.AlterField(
            model_name="adjustment",
            name="recorded_at",
            field=models.DateTimeField(),
        ),
        migrations.AlterField(
            model_name="adjustment",
            name="recorded_by",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AlterField(
            model_name="adjustment",
            name="void_reason",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AlterField(
            model_name="adjustment",
            name="voided_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="adjustment",
            name="voided_by",
            field=models.CharField(blank=True, max_length=200),
        ),
    ]
