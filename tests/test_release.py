"""A release is built from a commit, completely and verifiably, or refused with a reason."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import release
from memoryserver import __version__
from release import ReleaseError

ROOT = Path(release.__file__).resolve().parent
SECTION = f"## {__version__} - 2026-11-29\n\nEverything.\n"


def git(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", str(root), *identity, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository that may be released: the files that are looked at, and nothing else."""
    root = tmp_path / "repository"
    for name in (release.VERSION_FILE, *release.MANIFESTS):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text((ROOT / name).read_text())
    (root / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## Unreleased\n\nNothing yet.\n\n{SECTION}\n## 0.0.1 - 2026-01-01\n"
    )
    git(root.parent, "init", "--quiet", str(root))
    commit(root)
    return root


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "work")


def test_commit_with_a_version_and_its_section_is_a_release(repository: Path) -> None:
    found = release.examine(repository)

    assert (found.version, found.notes, found.commit) == (
        __version__,
        "Everything.\n",
        git(repository, "rev-parse", "HEAD"),
    )


def test_tree_with_changes_is_refused(repository: Path) -> None:
    (repository / "new.txt").write_text("new")

    with pytest.raises(ReleaseError, match=r"the tree has changes, first new\.txt"):
        release.examine(repository)


@pytest.mark.parametrize("heading", ["## Unreleased", f"## {__version__}", "## 9.9.9 - 2026-11-29"])
def test_version_without_a_dated_section_is_refused(repository: Path, heading: str) -> None:
    (repository / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n\nEverything.\n")
    commit(repository)

    with pytest.raises(ReleaseError, match=f"CHANGELOG.md has no section '## {__version__} - DATE'"):
        release.examine(repository)


def test_empty_section_is_refused(repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text(f"## {__version__} - 2026-11-29\n\n## 0.0.1 - 2026-01-01\n\nOld.\n")
    commit(repository)

    with pytest.raises(ReleaseError, match="has no section"):
        release.examine(repository)


@pytest.mark.parametrize("version", ["1.0", "01.0.0", "1.0.0.dev1", "v1.0.0", ""])
def test_version_that_is_not_semantic_is_refused(repository: Path, version: str) -> None:
    (repository / release.VERSION_FILE).write_text(f'__version__ = "{version}"\n')
    commit(repository)

    with pytest.raises(ReleaseError, match=r"a semantic one is MAJOR\.MINOR\.PATCH"):
        release.examine(repository)


def test_version_that_differs_from_the_plugins_is_refused(repository: Path) -> None:
    (repository / release.VERSION_FILE).write_text('__version__ = "7.0.0"\n')
    commit(repository)

    with pytest.raises(ReleaseError, match=r"plugin\.json has not the version 7\.0\.0"):
        release.examine(repository)


def test_version_of_another_commit_is_refused_and_that_of_this_one_is_not(repository: Path) -> None:
    git(repository, "tag", f"v{__version__}")
    assert release.examine(repository).version == __version__

    commit(repository)

    with pytest.raises(ReleaseError, match=f"v{__version__} is another commit"):
        release.examine(repository)


def test_versions_of_this_tree_are_the_same_everywhere() -> None:
    versions = {name: re.findall(r'"version": "(.*?)"', (ROOT / name).read_text()) for name in release.MANIFESTS}
    assert versions == {name: [__version__] for name in release.MANIFESTS}


def test_error_is_one_line_and_the_status_1(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "new.txt").write_text("new")

    status = release.main(["--root", str(repository)])

    assert (status, capsys.readouterr().err) == (
        1,
        "release: the tree has changes, first new.txt; commit them, or put them away\n",
    )


def test_release_of_this_commit_can_be_checked_and_is_the_same_when_built_again(tmp_path: Path) -> None:
    """Built from the last commit, whatever has changed since."""
    commit_time = git(ROOT, "log", "-1", "--format=%ct")
    made = release.Release(__version__, "Everything.\n", git(ROOT, "rev-parse", "HEAD"), commit_time)

    folder = release.build(made, ROOT, tmp_path / "one", image=False)
    again = release.build(made, ROOT, tmp_path / "two", image=False)

    names = {
        f"memoryserver-{__version__}-py3-none-any.whl",
        f"memorycli-{__version__}-py3-none-any.whl",
        f"memory-{__version__}.pyz",
    }
    assert {path.name for path in folder.iterdir()} == names | {release.CHECKSUMS, release.NOTES}
    assert (folder / release.CHECKSUMS).read_text() == (again / release.CHECKSUMS).read_text()
    subprocess.run(["sha256sum", "--check", "--quiet", release.CHECKSUMS], cwd=folder, check=True)
    assert (folder / release.NOTES).read_text() == f"# memoryserver {__version__}\n\nEverything.\n"
    client = [sys.executable, str(folder / f"memory-{__version__}.pyz"), "--version"]
    assert __version__ in subprocess.run(client, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    with zipfile.ZipFile(folder / f"memoryserver-{__version__}-py3-none-any.whl") as wheel:
        assert "memoryserver/templates/memoryserver/base.html" in wheel.namelist()
    with pytest.raises(ReleaseError, match="exists; remove it to build it again"):
        release.build(made, ROOT, tmp_path / "one", image=False)
    assert [path.name for path in (tmp_path / "one").iterdir()] == [__version__]
