"""HTML without the white space that no browser shows, so that tests can look for pieces of it."""

import re

#: Elements that begin a line of their own, and those of pictures: white space beside them is not shown.
_BLOCKS = (
    "address|article|aside|blockquote|body|br|caption|circle|col|colgroup|datalist|dd|details|dialog|div|dl|dt|fieldset|"
    "figcaption|figure|footer|form|g|h1|h2|h3|h4|head|header|hr|html|legend|li|line|link|main|meta|nav|ol|optgroup|"
    "option|p|path|rect|script|section|select|style|summary|svg|table|tbody|td|text|tfoot|th|thead|title|tr|tspan|ul|use"
)
_BESIDE_BLOCK = re.compile(rf"\s*(</?(?:{_BLOCKS})\b(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>)\s*")
_TAG = re.compile(r"<[a-z!/](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
#: What is shown, or sent, as it stands.
_EXACT = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.DOTALL)


def strip_white_space(html: str) -> str:
    """Return HTML with single blanks, none of them beside blocks or before the end of a tag."""
    pieces = _EXACT.split(html)
    return "".join(
        piece if number % 3 == 1 else _strip(piece) for number, piece in enumerate(pieces) if number % 3 != 2
    ).strip()


def _strip(piece: str) -> str:
    piece = _TAG.sub(_strip_tag, piece)
    return _BESIDE_BLOCK.sub(r"\1", re.sub(r"[ \t\r\n]+", " ", piece))


def _strip_tag(tag: re.Match[str]) -> str:
    """Return a tag with single blanks, without regular expressions: pages have thousands of tags."""
    text = " ".join(tag[0].split())
    end = 2 if text.endswith("/>") else 1
    return text[:-end].rstrip() + text[-end:]
