"""Files of games as a program sends them."""

import json
from typing import Any

from tests.helpers.api_client import Api

IMPORT_PATH = "leagues/club/games/import/"


def json_game(number: int, *seats: tuple[str, float | str], **more: Any) -> str:
    """Return a game as a line of JSON."""
    results = [{"player": player, "score": score} for player, score in seats]
    when = f"2024-03-{1 + number // 1440 % 28:02}T{number // 60 % 24:02}:{number % 60:02}:00Z"
    return json.dumps({"external_id": f"g{number}", "played_at": when, "results": results, **more}) + "\n"


def json_games(count: int) -> str:
    """Return games between anna and ben."""
    return "".join(json_game(number, ("anna", number % 3), ("ben", number % 2)) for number in range(count))


class Sender(Api):
    """Sends files."""

    def send(self, body: str | bytes, query: str = "", media: str = "application/x-ndjson") -> Any:
        """Send a file."""
        answer: Any = self.client.post(f"/api/v1/{IMPORT_PATH}{query}", body, content_type=media, headers=self.headers)
        answer.data = answer.json()
        return answer
