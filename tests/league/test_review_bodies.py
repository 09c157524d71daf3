"""Bodies that nobody sends by accident: refused soon, with a sentence, and nothing written."""

import pytest

from league.models import Player
from tests.league.api_client import Api
from tests.league.builders import make_league

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_an_empty_form_changes_nothing(content_type: str) -> None:
    make_league()
    api = Api("organise")
    for path in ("players/anna/", "leagues/club/"):
        # The test client leaves out the type of an empty body; curl -d '' sends it.
        sent = {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": "0"}
        answer = api.client.generic("PATCH", f"/api/v1/{path}", b"", headers=api.headers, **sent)
        assert (answer.status_code, answer.json().get("code")) == (415, "unsupported_media_type")
    assert Player.objects.get(handle="anna").active
