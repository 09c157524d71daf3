"""One-line summaries of longer texts."""

import re

#: Maximum length of a summary, and minimum length of one that ends inside a sentence.
MAX_LENGTH, MIN_CLAUSE_LENGTH = 90, 20
#: The end of a sentence: after a word of three letters or more, so that "St." and "e.g." end none.
SENTENCE_END = re.compile(r"(?<=\w{3})[.!?…](?=\s|$)|[。!?]")
CLAUSE_END = re.compile(r"\s*[:;,–—(]\s|\s\(|\s[-–—]\s")


def summarize(text: str, max_length: int = MAX_LENGTH) -> str:
    """Return the first sentence of a text, its first clauses if it is too long, "" if these are too long as well."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    end = SENTENCE_END.search(line)
    sentence = line[: end.end()] if end else line
    if len(sentence) <= max_length:
        return sentence
    ends = [clause.start() for clause in CLAUSE_END.finditer(sentence)]
    fitting = [position for position in ends if MIN_CLAUSE_LENGTH <= position < max_length]
    return f"{sentence[: fitting[-1]]}." if fitting else ""
