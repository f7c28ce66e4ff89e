"""A survey's texts as the simple HTML that other programs show.

In: blocks of a screen. Out: HTML. Absent: pictures; other programs want them in their own library.
"""

from collections.abc import Iterable
from html import escape

from howgood.records.screen import Block, Bullets, Details, Heading, Paragraph, Words


def html_text(text: str) -> str:
    """Return a text that a program which takes HTML shows as it was written.

    Quotes stay: texts stand between tags, and many programs show a label as it was sent.
    """
    return escape(text, quote=False)


def html_of(blocks: Iterable[Block]) -> str:
    """Return the texts of blocks on one line of HTML."""
    return "".join(_block(each) for each in blocks)


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<p><strong>{html_text(block.text)}</strong></p>"
    if isinstance(block, Paragraph):
        return f"<p>{_words(block.words)}</p>"
    if isinstance(block, Details):
        return "".join(f"<p>{_words(each.words)}</p>" for each in block.paragraphs)
    if isinstance(block, Bullets):
        lines = (
            f"<li>{_words(entry.words)}{_inner(entry.entries)}</li>" for entry in block.entries
        )
        return f"<ul>{''.join(lines)}</ul>"
    return ""


def _inner(entries: tuple[tuple[Words, ...], ...]) -> str:
    return f"<ul>{''.join(f'<li>{_words(each)}</li>' for each in entries)}</ul>" if entries else ""


def _words(words: Iterable[Words]) -> str:
    return "".join(
        f"<strong>{html_text(each.text)}</strong>" if each.bold else html_text(each.text)
        for each in words
    )
