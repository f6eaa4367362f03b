"""Chips of a filter, as the pages render them."""

from __future__ import annotations

import re

from django.template.loader import render_to_string
from django.test import RequestFactory

from memoryserver.pages.chips import Chip


def test_chips_are_choices_of_the_form_with_their_numbers() -> None:
    chips = [Chip("", "all", 12, False), Chip("open", "open", None, True)]
    context = {"name": "state", "label": "State", "chips": chips}
    html = render_to_string("memoryserver/_chips.html", context, RequestFactory().get("/failures/"))

    fields = re.findall(
        r'<input type="radio" id="([^"]+)" name="state" value="([^"]*)" form="filters" (checked)?', html
    )
    assert fields == [("state-any", "", ""), ("state-open", "open", "checked")]
    assert re.findall(r'count">(\d+)<', html) == ["12"]
    assert html.count('hx-get="/failures/"') == 2
