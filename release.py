"""Builds a release from the commit that is checked out: wheels, the client as one file, an image, checksums, notes.

    python release.py --output dist [--no-image]

It builds from the commit's files alone, and refuses a tree with changes, a version that is not semantic or not the same
everywhere, and one without a section in CHANGELOG.md. `make release` calls it.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VERSION_FILE = "memoryserver/__init__.py"
MANIFESTS = ("deploy/claude-code-plugin/.claude-plugin/plugin.json", "deploy/.claude-plugin/marketplace.json")
IMAGE_FILE = "deploy/docker/Dockerfile"
BUILDERS = ("buildah", "podman", "docker")
CHECKSUMS, NOTES = "SHA256SUMS", "NOTES.md"

_SEMANTIC = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")
_BUILD = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
_CLIENT = (
    "import sys; from memoryserver.joining.client_archive import client_archive; "
    "sys.stdout.buffer.write(client_archive().content)"
)
_MAIN = "import sys\n\nfrom memorycli.main import main\n\nsys.exit(main())\n"


class ReleaseError(Exception):
    """No release can be made of this commit; one sentence that says why and what to do."""


@dataclass(frozen=True)
class Release:
    """A release that may be made: its version, what CHANGELOG.md says of it, and when its commit was made."""

    version: str
    notes: str
    commit: str
    time: str


def main(words: Sequence[str] | None = None) -> int:
    """Build the release; return 1, with the reason on standard error, if that is not possible."""
    parser = argparse.ArgumentParser(description="Build a release from the commit that is checked out.")
    parser.add_argument("--output", type=Path, default=Path("dist"), help="the folder of the release's folder")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository")
    parser.add_argument("--no-image", action="store_true", help="build no image of a container")
    args = parser.parse_args(words)
    try:
        release = examine(args.root)
        folder = build(release, args.root, args.output, image=not args.no_image)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(f"Built {folder}:")
    print((folder / CHECKSUMS).read_text(), end="")
    print(f"To name the commit: git tag -a v{release.version} -m 'memoryserver {release.version}'")
    return 0


def examine(root: Path) -> Release:
    """Return the release that the commit of the repository at `root` is. Raises ReleaseError."""
    changes = _git(root, "status", "--porcelain")
    if changes:
        raise ReleaseError(f"the tree has changes, first {changes.split()[1]}; commit them, or put them away")
    match = re.search(r'^__version__ = "(.*)"$', (root / VERSION_FILE).read_text(), re.MULTILINE)
    version = match[1] if match else ""
    if not _SEMANTIC.fullmatch(version):
        raise ReleaseError(f"{VERSION_FILE} has the version {version!r}; a semantic one is MAJOR.MINOR.PATCH")
    for name in MANIFESTS:
        if version not in re.findall(r'"version": "(.*?)"', (root / name).read_text()):
            raise ReleaseError(f"{name} has not the version {version} of {VERSION_FILE}")
    commit = _git(root, "rev-parse", "HEAD")
    tagged = _git(root, "tag", "--list", f"v{version}") and _git(root, "rev-list", "-n1", f"v{version}")
    if tagged and tagged != commit:
        raise ReleaseError(f"v{version} is another commit, {tagged[:10]}; give this one a version of its own")
    return Release(version, notes_of(version, root), commit, _git(root, "log", "-1", "--format=%ct"))


def notes_of(version: str, root: Path) -> str:
    """Return the section of CHANGELOG.md about `version`. Raises ReleaseError if there is none, or it has no date."""
    text = (root / "CHANGELOG.md").read_text()
    section = re.search(
        rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d\n(?P<notes>.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    if section is None or not section["notes"].strip():
        raise ReleaseError(f"CHANGELOG.md has no section '## {version} - DATE' with what changed; write it")
    return section["notes"].strip() + "\n"


def build(release: Release, root: Path, output: Path, *, image: bool) -> Path:
    """Build everything into `output`/VERSION, which is there completely or not at all, and return that folder."""
    target = output.resolve() / release.version
    if target.exists():
        raise ReleaseError(f"{target} exists; remove it to build it again")
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".release-") as temporary:
        source, made = Path(temporary, "source"), Path(temporary, "made")
        made.mkdir()
        _export(root, release.commit, source)
        _run([sys.executable, "-c", _BUILD, str(made)], source, release)
        client = _run([sys.executable, "-c", _CLIENT], source, release)
        _write_program(client, made / f"memory-{release.version}.pyz")
        if image:
            _image(source, made, release)
        (made / NOTES).write_text(f"# memoryserver {release.version}\n\n{release.notes}")
        (made / CHECKSUMS).write_text(checksums(made))
        made.rename(target)
    return target


def checksums(folder: Path) -> str:
    """Return the SHA-256 of each file in `folder`, as `sha256sum --check` reads them."""
    files = sorted(path for path in folder.iterdir() if path.name != CHECKSUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def _write_program(client: bytes, path: Path) -> None:
    """Write the archive by which laptops join as one that runs the command `memory` instead."""
    with zipfile.ZipFile(io.BytesIO(client)) as joining, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as program:
        for entry in joining.infolist():
            program.writestr(entry, _MAIN if entry.filename == "__main__.py" else joining.read(entry))


def _image(source: Path, made: Path, release: Release) -> None:
    """Build the image and save it, if a builder of images is installed."""
    builder = next((name for name in BUILDERS if shutil.which(name)), "")
    if not builder:
        print(f"No image: none of {', '.join(BUILDERS)} is installed.")
        return
    tag = f"memoryserver:{release.version}"
    file = made / f"memoryserver-{release.version}.image.tar"
    # In Docker's format, which has the health check; that of the OCI, the others' default, has none.
    options = [] if builder == "docker" else ["--format", "docker"]
    _run([builder, "build", *options, "--file", IMAGE_FILE, "--tag", tag, "."], source, release)
    save = {"buildah": ["push", tag, f"docker-archive:{file}:{tag}"], "podman": ["save", "--output", str(file), tag]}
    _run([builder, *save.get(builder, ["save", "--output", str(file), tag])], source, release)


def _export(root: Path, commit: str, target: Path) -> None:
    """Write the files of `commit`, and nothing else that lies in the folder, to `target`."""
    done = subprocess.run(["git", "-C", str(root), "archive", commit], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(target, filter="data")


def _run(command: Sequence[str], source: Path, release: Release) -> bytes:
    """Run `command` in the exported tree, with the commit's time for the wheels; return its output."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": release.time, "PYTHONPATH": str(source)}
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or ["it printed nothing"])[-1]
        raise ReleaseError(f"{Path(command[0]).name} failed: {last}")
    return done.stdout


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReleaseError(f"git {words[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
