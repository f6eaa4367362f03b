from __future__ import annotations

from memoryserver.home import parts
from memoryserver.home.parts import Part, all_parts


def test_apps_have_registered_their_parts_in_the_order_of_the_page() -> None:
    assert [part.name for part in all_parts()] == ["trajectory", "ghap", "capture", "inquiries"]


def test_part_that_registers_again_replaces_itself() -> None:
    before = list(all_parts())
    try:
        parts.register(Part("ghap", 5))
        assert [part.name for part in all_parts()] == ["ghap", "trajectory", "capture", "inquiries"]
    finally:
        for part in before:
            parts.register(part)
