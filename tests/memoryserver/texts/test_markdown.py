"""What Markdown of agents becomes on a page, and what of it never gets there."""

from __future__ import annotations

import pytest
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.texts.markdown import _BLOCKS, _CLEANER, MAX_LENGTH, code, markdown

TAGS = {"p", "br", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "a"} | {
    *("table", "thead", "tbody", "tr", "th", "td")
}


@given(st.text(st.sampled_from("abé19 .,:;-+='\"()#~|!@/^%$?{}\\`*_[]<>&\t\n\xa0"), max_size=12))
def test_line_without_markdown_is_what_rendering_makes_of_it(text: str) -> None:
    assert markdown(f"a{text}") == _CLEANER.clean(_BLOCKS.render(f"a{text}"))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Run `make load` **first**", "<p>Run <code>make load</code> <strong>first</strong></p>\n"),
        ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("```sh\nmake <x>\n```", '<pre tabindex="0"><code>make &lt;x&gt;\n</code></pre>\n'),
        ("`__init__.py` and *.py", "<p><code>__init__.py</code> and *.py</p>\n"),
        ("# Not a title", "<p># Not a title</p>\n"),
        (
            "[docs](https://example.org/a)",
            '<p><a href="https://example.org/a" rel="noopener noreferrer nofollow">docs</a></p>\n',
        ),
        ("|a|b|\n|-|-|\n|1|2|", None),
        (None, ""),
        ("", ""),
    ],
)
def test_markdown_becomes_blocks(text: str | None, html: str | None) -> None:
    if html is None:
        html = (
            "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n"
            "</tr>\n</tbody>\n</table>\n"
        )

    assert markdown(text) == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>\n"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
        ("![x](https://example.org/x.png)", None),
        ("<https://example.org/>", None),
    ],
    ids=["script", "handler", "script address", "picture", "address"],
)
def test_nothing_runs_or_is_loaded(text: str, html: str | None) -> None:
    shown = str(markdown(text))

    assert html is None or shown == html
    assert "<img" not in shown
    assert "<script" not in shown


@given(st.text() | st.text(alphabet="<>\"'&`*_[]()!:/ #-|\njavscript", max_size=80))
def test_no_text_yields_another_tag_or_attribute(text: str) -> None:
    shown = str(markdown(text))
    tags = {part.split(">")[0].strip("/").split(" ")[0] for part in shown.split("<")[1:]}

    assert tags <= TAGS


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("`make load` needs\nPGOPTIONS", "<code>make load</code> needs PGOPTIONS"),
        ("**a** [b](https://example.org)", "**a** [b](https://example.org)"),
        ("a < b & `<b>`", "a &lt; b &amp; <code>&lt;b&gt;</code>"),
        (None, ""),
    ],
)
def test_code_of_a_title_is_the_only_markup(text: str | None, html: str) -> None:
    assert code(text) == html


def test_long_text_is_cut() -> None:
    assert markdown("a" * (MAX_LENGTH + 5)) == f"<p>{'a' * MAX_LENGTH}</p>\n"


def test_filters_are_there_in_every_template() -> None:
    assert Template("{{ text|code }}").render(Context({"text": "`a`"})) == "<code>a</code>"
    assert Template("{{ text|markdown }}").render(Context({"text": "a"})) == "<p>a</p>\n"
