"""What an edit made out of what."""

from __future__ import annotations

from trajectory.local.calls import edits


def test_edits_are_directional_and_empty_sides_have_no_hash() -> None:
    there = edits.edits_of({"old_string": "a", "new_string": "b"}, ["x.py"])
    back = edits.edits_of({"old_str": "b", "new_str": "a"}, ["x.py"])
    assert there[0][1:] == back[0][:0:-1]
    assert edits.edits_of({"old_string": "", "new_string": "b"}, ["x.py"])[0][1] == ""
    assert edits.edits_of({"old_string": "a", "new_string": ""}, ["x.py"]) == []
    assert edits.edits_of({"old_string": "a", "new_string": "a"}, ["x.py"]) == []
    assert len(edits.edits_of({"edits": [{"old_string": "a", "new_string": f"{n}"} for n in range(99)]}, ["x.py"])) == 8
