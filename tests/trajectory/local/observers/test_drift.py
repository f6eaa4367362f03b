"""DriftDetector: writes outside of what the task named."""

from __future__ import annotations

import pytest

from tests.support.rows.tool_calls import START, context_of, failed, ok, session_of
from trajectory.local import Assessment, DriftDetector, Observation


def observe(initial, *paths, tool="Edit", root="") -> Assessment:
    session = session_of(*(ok(tool, f"path={path}", paths=(path,)) for path in paths))
    return DriftDetector(frozenset(initial), root=root).observe(session, context=context_of(session))


def drifts(initial, path, root="") -> bool:
    """Whether writes to `path` and two files that are surely outside are drift."""
    return observe(initial, path, path, path, "zz/1", "zz/2", "zz/3", root=root).says_something


def test_most_writes_outside_are_a_caution_that_names_the_files():
    assert observe({"src/app/a.py"}, "src/app/a.py", "x/1", "x/2", "y/3") == Assessment(
        observer_name="Drift Detector",
        summary="75% of recent file operations are outside the original task scope.",
        observations=(
            Observation(
                "Scope Drift",
                "Recent work includes files unrelated to the original task.",
                "x/1\nx/2\ny/3",
            ),
        ),
        suggestions=(
            "Verify these files are necessary for the task.",
            "If scope has legitimately expanded, this may be fine.",
            "If not, refocus on the original objective.",
        ),
        severity="caution",
        timestamp=START,
    )


def test_reads_are_exploration_and_no_drift():
    assert observe({"src/a.py"}, *(f"x/{n}" for n in range(10)), tool="Read").says_something is False


def test_failed_writes_change_nothing_and_do_not_count():
    session = session_of(*(failed("Edit", f"path=x/{n}", paths=(f"x/{n}",)) for n in range(5)))
    assert not DriftDetector(frozenset({"a/b.py"})).observe(session, context=context_of(session)).says_something


def test_many_writes_in_scope_outweigh_a_few_files_outside():
    assert not observe({"src/a.py"}, "x/1", "x/2", "x/3", *["src/a.py"] * 7).says_something


def test_fewer_than_three_files_outside_are_no_drift():
    assert not observe({"src/a.py"}, *["x/1", "x/2"] * 5).says_something


def test_without_initial_paths_there_is_no_drift():
    assert not observe(set(), *(f"x/{n}" for n in range(10))).says_something
    session = session_of(ok())
    assert not DriftDetector(frozenset()).should_run(session, context=context_of(session))


def test_records_that_hold_only_a_summary_are_read_by_it():
    session = session_of(*(ok("edit_file", f"path=x/{n}, mode=a") for n in range(4)))
    assessment = DriftDetector(frozenset({"src/a.py"})).observe(session, context=context_of(session))
    assert assessment.observations[0].evidence == "x/0\nx/1\nx/2\nx/3"


@pytest.mark.parametrize(
    ("initial", "path", "root"),
    [
        ("src/app/a.py", "src/app/b.py", ""),
        ("src/app/a.py", "src/app/deep/c.py", ""),
        ("src/app", "src/app/b.py", ""),
        ("src/app/", "src/app/b.py", ""),
        ("setup.py", "setup.py", ""),
        ("./setup.py", "setup.py", ""),
        ("/repo/src/a.py", "src/a.py", "/repo"),
        ("src/a.py", "/repo/src/b.py", "/repo"),
        ("src\\app\\a.py", "src/app/b.py", ""),
        ("src/config.py", "tests/unit/test_config.py", ""),
        ("src/config.ts", "src2/config.spec.ts", ""),
        ("pkg/config.go", "other/config_test.go", ""),
        (".", "anything/at/all.py", ""),
    ],
)
def test_related_path_is_no_drift(initial, path, root):
    assert not drifts({initial}, path, root)


@pytest.mark.parametrize(
    ("initial", "path", "root"),
    [
        ("src/app/a.py", "src/app2/b.py", ""),
        ("src/app", "src/application/b.py", ""),
        ("setup.py", ".github/workflows/ci.yml", ""),
        ("setup.py", "../../etc/passwd", ""),
        ("setup.py", "src/a.py", ""),
        ("/setup.py", "/etc/passwd", ""),
        ("src/app/a.py", "src/app/../other/b.py", ""),
        ("/repo/a/b.py", "/repo-old/a/b.py", "/repo"),
        ("src/config.py", "tests/test_other.py", ""),
        ("src/config.py", "lib/config.py", ""),
    ],
)
def test_unrelated_path_is_drift(initial, path, root):
    assert drifts({initial}, path, root)
