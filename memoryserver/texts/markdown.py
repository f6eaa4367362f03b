"""Template filters for the Markdown that agents write: rendered by markdown-it-py, cleaned by nh3.

What agents write is not trusted: they quote web pages and other people's files. So no HTML of theirs is taken over, no
picture is loaded (its address would tell a third party who reads), no heading breaks the page's outline, and links are
to web and mail addresses alone. The cleaning holds the same rules once more, whatever the renderer lets through.
"""

from __future__ import annotations

import re

import nh3
from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = template.Library()

MAX_LENGTH = 20_000
"""Characters of a text that are rendered; the rest is left out, since nobody reads it on a page."""

_BLOCKS = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
_BLOCKS.disable(["heading", "lheading", "image", "html_block", "html_inline", "reference"])
_CODE = MarkdownIt("zero").enable("backticks")

_TAGS = {"p", "br", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "a"}
_TABLE_TAGS = {"table", "thead", "tbody", "tr", "th", "td"}
_CLEANER = nh3.Cleaner(
    tags=_TAGS | _TABLE_TAGS,
    attributes={"a": {"href"}, "ol": {"start"}},
    set_tag_attribute_values={"pre": {"tabindex": "0"}},  # what is wider than the page is scrolled by the keyboard too
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
)
_PLAIN = re.compile(r"[^\W\d_][^\\`*_\[\]<>&]*(?<! )")
"""One line in which Markdown has nothing to find: it begins with a letter, and no character has a meaning."""

_CODE_CLEANER = nh3.Cleaner(tags={"code"}, attributes={})


@register.filter
def markdown(value: object) -> SafeString:
    """Return the text `value` as HTML blocks: paragraphs, lists, code, quotations, tables and links; "" for None."""
    text = _text(value)
    if text.isprintable() and _PLAIN.fullmatch(text):
        return mark_safe(f"<p>{text}</p>\n")  # noqa: S308 - without < and &; to render it would take fifty times as long
    return mark_safe(_CLEANER.clean(_BLOCKS.render(text)))  # noqa: S308 - cleaned


@register.filter
def code(value: object) -> SafeString:
    """Return the text `value` on one line with its back-ticks as code and nothing else, for titles and links."""
    text = " ".join(_text(value).split())
    if "`" not in text:
        return escape(text)  # most titles have none, and a list has many
    return mark_safe(_CODE_CLEANER.clean(_CODE.renderInline(text)))  # noqa: S308 - cleaned


def _text(value: object) -> str:
    return "" if value is None else str(value)[:MAX_LENGTH]
