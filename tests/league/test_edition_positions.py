"""An edition's position in the log: that of its own entry."""

import hashlib
import json
from io import BytesIO

import pytest
from django.utils import timezone

from league.errors import Invalid
from league.models import Edition, League
from league.selectors.exports import export_lines
from league.services.transfer.restore import restore_league
from league.services.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder

pytestmark = pytest.mark.django_db

#: League, rule, ladder, its rule and two games have entries; the next one tells of the edition.
POSITION = 7


def published() -> League:
    """Return a league with a published month."""
    league = make_league()
    make_ladder(league, "month", "points")
    for day in ("2024-03-10", "2024-03-11"):
        record(league, duel("anna", "ben", day))
    close(league, "2024-03")
    return league


def test_an_editions_position_leads_to_its_own_entry_in_the_changes() -> None:
    published()
    api = Api()
    (edition,) = api.get("leagues/club/ladders/month/periods/2024-03/").data["editions"]
    document = api.get("leagues/club/ladders/month/periods/2024-03/editions/1/").data
    assert (edition["log_position"], document["log_position"]) == (POSITION, POSITION)
    lines = b"".join(api.get(f"leagues/club/changes/?after={POSITION - 1}&limit=1")).splitlines()
    (entry,) = map(json.loads, lines)
    assert (entry["position"], entry["kind"]) == (POSITION, "edition.published")
    assert entry["payload"]["sha256"] == edition["sha256"]


@pytest.mark.parametrize("position", [POSITION - 1, POSITION + 1])
def test_an_export_whose_edition_stands_elsewhere_in_its_log_is_refused(position: int) -> None:
    league = published()
    lines = list(export_lines(league.pk, timezone.now(), aliases=True))[:-1]
    (line,) = [number for number, text in enumerate(lines, start=1) if text.startswith('{"type":"edition"')]
    lines[line - 1] = lines[line - 1].replace(
        f'"log_position":{POSITION},"winners"', f'"log_position":{position},"winners"'
    )
    text = "".join(f"{line}\n" for line in lines)
    end = {"type": "end", "lines": len(lines), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    with pytest.raises(Invalid, match=f"Line {line}: "):
        restore_league(BytesIO((text + json.dumps(end) + "\n").encode()), slug="again", by="operator")
    assert not League.objects.filter(slug="again").exists()


def test_an_edition_of_which_the_log_does_not_tell_is_found() -> None:
    league = published()
    edition = Edition.objects.get()
    Edition.objects.create(
        **{
            name: getattr(edition, name)
            for name in (
                "league",
                "ladder",
                "starts_at",
                "ends_at",
                "due_at",
                "published_at",
                "winners",
                "document",
                "sha256",
                "standings_sha256",
                "log_position",
            )
        },
        key="2024-04",
        number=1,
    )
    assert "Edition 1 of month 2024-04 stands in the books, but not in the log." in verify_league(league.pk).differences
