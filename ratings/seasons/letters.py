"""The letters of parallel divisions and groups."""


def list_letters(parallel: float) -> list[str]:
    """Return the letters of parallel divisions or groups: A, B, C …; "" of one that is alone."""
    return [get_letter(at) for at in range(int(parallel))] if parallel > 1 else [""]


def find_group(letter: str) -> int:
    """Return the position of a letter, from 0; 0 of a group that is alone."""
    return ord(letter or "A") - ord("A")


def get_letter(group: int) -> str:
    """Return the letter of a group by its position, from 0."""
    return chr(ord("A") + group)
