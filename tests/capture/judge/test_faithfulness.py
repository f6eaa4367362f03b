from __future__ import annotations

import pytest

from capture.judge.faithfulness import MAX_REWRITE, is_faithful

SOURCE = "In api/export.py the export of `orders` hangs for 30 seconds, since Postgres waits for the backup in v2.1"


@pytest.mark.parametrize(
    ("rewrite", "source", "expected"),
    [
        ("Use `pnpm`, not `npm`", "We agreed: use `pnpm`, not `npm`, in this repository", True),
        ("Use `npm`, not `pnpm`", "We agreed: use `pnpm`, not `npm`, in this repository", False),
        ("Run `lint` after `build`", "Run `build` after `lint`, as the hook does", False),
        ("It waits 30 s and gives up after 5 s", "It waits 5 s and gives up after 30 s, which is too long", False),
        ("The export hangs since redis is down", "The export hangs since the cache is down, it seems to me", False),
        ("The export corrupts data", "The export hangs", False),
        ("The export always hangs", "The export hangs at night", False),
        ("npm ではなく pnpm を使う", "npm ではなく pnpm を使う。理由は速度", True),
        ("pnpm ではなく npm を使う", "npm ではなく pnpm を使う。理由は速度", False),
        ("Nimm npm statt pnpm", "Nimm pnpm statt npm, das ist schneller", False),
        ("Use npm", "npm ではなく pnpm を使う", False),
        ("。", "npm ではなく pnpm を使う", False),
    ],
    ids=[
        "contrast",
        "contrast turned round",
        "order turned round",
        "numbers turned round",
        "name without a capital",
        "new claim",
        "always",
        "part in Japanese",
        "opposite in Japanese",
        "opposite in German",
        "translation",
        "no words",
    ],
)
def test_rewrite_may_not_turn_its_source_round(rewrite: str, source: str, expected: bool) -> None:
    assert is_faithful(rewrite, source) is expected


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
