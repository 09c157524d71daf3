"""A client of the API as a game server would write it: JSON, a token, nothing else."""

from typing import Any

from django.test import Client

from league.core.accounts.services.tokens import make_token
from league.models import League


class Api:
    """Calls below /api/v1/ with a token of a scope."""

    def __init__(self, scope: str = "", leagues: tuple[League, ...] = (), name: str = "server-7") -> None:
        self.client = Client(raise_request_exception=False)
        self.headers: dict[str, str] = {}
        if scope:
            self.headers["Authorization"] = f"Bearer {make_token(name, scope, leagues=leagues)[1]}"

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Call one address; the answer's JSON is its ``data``."""
        extra: dict[str, Any] = {} if body is None else {"data": body, "content_type": "application/json"}
        url = path if path.startswith(("/", "http")) else f"/api/v1/{path}"
        answer = getattr(self.client, method)(url, headers={**self.headers, **headers}, **extra)
        kind = answer.get("Content-Type", "")
        is_json = "json" in kind and "ndjson" not in kind and not answer.streaming
        answer.data = answer.json() if is_json else None
        return answer

    def get(self, path: str, **headers: str) -> Any:
        """GET."""
        return self.call("get", path, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Any:
        """POST."""
        return self.call("post", path, body, **headers)

    def post_file(self, path: str, text: str | bytes, kind: str) -> Any:
        """POST a file as the body."""
        answer: Any = self.client.post(f"/api/v1/{path}", text, content_type=kind, headers=self.headers)
        answer.data = answer.json() if "ndjson" not in answer["Content-Type"] else None
        return answer

    def patch(self, path: str, body: Any) -> Any:
        """PATCH."""
        return self.call("patch", path, body)

    def put(self, path: str, body: Any) -> Any:
        """PUT."""
        return self.call("put", path, body)


def game(*lines: tuple[str, float], **more: Any) -> dict[str, Any]:
    """Return a game of players with scores as it is sent."""
    results = [{"player": player, "score": score} for player, score in lines]
    return {"played_at": "2024-03-05T19:30:00Z", "results": results, **more}


def placed(*players: str, **more: Any) -> dict[str, Any]:
    """Return a game of players in finishing order as it is sent."""
    results = [{"player": player, "place": place} for place, player in enumerate(players, start=1)]
    return {"played_at": "2024-03-05T19:30:00Z", "results": results, **more}
