"""The event of an imported file, and its encoding."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("competitions", "0002_source_file"),
    ]

    operations = [
        migrations.AlterField(
            model_name="sourcefile",
            name="data",
            field=models.BinaryField(default=b"", help_text="Of a tournament report."),
        ),
        migrations.AddField(
            model_name="sourcefile",
            name="encoding",
            field=models.CharField(blank=True, default="", max_length=20),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="sourcefile",
            name="title",
            field=models.CharField(blank=True, default="", max_length=120),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="sourcefile",
            name="place",
            field=models.CharField(blank=True, default="", max_length=200),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="sourcefile",
            name="first_day",
            field=models.DateField(blank=True, null=True),
        ),
    ]
