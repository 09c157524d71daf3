"""The shape of a published head of a log; ``render`` builds it."""

from rest_framework import serializers as s

from league.api.core.schemas import Shape


class HeadShape(Shape):
    """How far a league's log went, signed: Ed25519 over the canonical JSON (RFC 8785) of all but ``signature``."""

    league = s.CharField()
    position = s.IntegerField(help_text="Of the last entry of the log then.")
    sha256 = s.CharField(help_text="Of that entry.")
    at = s.CharField(help_text="When it was published: with microseconds and Z, to the letter as it was signed.")
    key = s.CharField(help_text="The public key, base64url: “x” of /.well-known/rungs-key.json.")
    signature = s.CharField(help_text="64 bytes, base64url without padding.")
