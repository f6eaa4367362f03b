from __future__ import annotations

import pytest

from capture.judge.faithfulness import MAX_REWRITE, is_faithful

SOURCE = "In api/export.py the export of `orders` hangs for 30 seconds, since Postgres waits for the backup in v2.1"


@pytest.mark.parametrize(
    ("rewrite", "expected"),
    [
        ("The export of `orders` hangs since Postgres waits for the backup", True),
        ("Exports in api/export.py hang for 30 seconds", True),
        ("The export of `payments` hangs", False),
        ("The export hangs since Redis waits for the backup", False),
        ("The export in api/import.py hangs", False),
        ("The export hangs for 60 seconds", False),
        ("The export in v3 hangs", False),
        ("The export of `orders` does not hang", False),
        ("The export hangs. Postgres waits for the backup", False),
        ("", False),
        ("export " * MAX_REWRITE, False),
    ],
    ids=[
        "shorter",
        "path and number",
        "other code",
        "other name",
        "other path",
        "other number",
        "other version",
        "negation",
        "two sentences",
        "empty",
        "long",
    ],
)
def test_rewrite_may_only_say_what_its_source_says(rewrite: str, expected: bool) -> None:
    assert is_faithful(rewrite, SOURCE) is expected
