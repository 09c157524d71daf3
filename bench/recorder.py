"""``python -m bench.recorder LEAGUE PLAYER …``: records games until it reads from stdin; prints each duration."""

import json
import os
import random
import sys
import threading
import time

#: Seconds between two games.
REST = 0.03


def main(slug: str, handles: list[str]) -> None:
    """Record games of four of these players, each as the league's newest game."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "league.settings"
    import django

    django.setup()
    from league.core.errors import Busy
    from league.core.games.services.game_input import NewGame, NewResult
    from league.core.games.services.record import record_game
    from league.models import League

    def recorded(league: int, game: NewGame) -> bool:
        """Record a game like a client that retries."""
        try:
            record_game(league, game, by="recorder")
        except Busy:
            return False
        return True

    league, took, over = League.objects.get(slug=slug), [], threading.Event()

    def listen() -> None:
        sys.stdin.readline()
        over.set()

    threading.Thread(target=listen, daemon=True).start()
    print("ready", flush=True)
    while not over.is_set():
        scores = [float(score) for score in random.sample(range(1000), 4)]
        seats = [NewResult(player, score) for player, score in zip(random.sample(handles, 4), scores, strict=True)]
        start = time.perf_counter()
        while not recorded(league.pk, NewGame(results=seats)):
            time.sleep(REST)
        took.append(time.perf_counter() - start)
        time.sleep(REST)
    print(json.dumps(took), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
