from __future__ import annotations

import pytest

from memoryserver.search.questions.answers import has_what_is_asked


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("When did Ana sail?", "Ana: last Friday", True),
        ("When did Ana sail?", "Ana: on 3 May", True),
        ("When did Ana sail?", "Ana: in 2023, I think", True),
        ("When did Ana sail?", "Ana: three times", False),
        ("How long has Ana sailed?", "Ana: for nine of them", True),
        ("How long has Ana sailed?", "Ana: years!", True),
        ("how many boats does Ana have", "Ana: Two, and a half", True),
        ("how many boats does Ana have", "Ana: 12", True),
        ("How much was it?", "Ana: a lot, someone said", False),
        ("What year was it?", "Ana: since 2019", True),
        ("What does Ana sail?", "Ana: two boats, since May", False),
        ("Whenever you like", "Ana: May", False),
        ("At what time does Ana get up?", "Ana: at 6:30", True),
        ("In which year was it?", "Ana: the one after 1999", True),
        ("For how long did Ana sail?", "Ana: until noon", True),
        ("When did Ana sail?", "Ana: I may, perhaps", False),
        ("When did Ana sail?", "Ana: 5000 boats", False),
    ],
)
def test_time_or_number_that_is_asked_for(query: str, text: str, expected: bool) -> None:
    assert has_what_is_asked(text, query) is expected
