"""The project's folder as the Filesystem that assessments are written to."""

from __future__ import annotations

from pathlib import Path

from memoryserver.client import places
from memoryserver.common import files

_MAX_READ = 1 << 20


class ProjectFiles:
    """Files below the project at `root`; what is written is replaced atomically.

    Paths below `.wink/trajectory` lie where `places.trajectory_dir` puts that folder. Folders which are
    made are kept out of git.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def exists(self, path: str) -> bool:
        """Return whether there is a file or a folder at `path`."""
        return self._place(path).exists()

    def mkdir(self, path: str, *, parents: bool = False) -> None:
        """Make the folder at `path`, ignored by git; the project's own folder must be there."""
        if not self.root.is_dir():
            raise FileNotFoundError(f"the project folder {self.root} does not exist")
        folder = self._place(path)
        top = self.root / places.TRAJECTORY_FOLDER.parts[0]
        if folder.is_relative_to(top) and not top.is_dir():  # in one that is there may be what git should see
            files.make_folder(top, ignored_by_git=True)
        files.make_folder(folder, ignored_by_git=True)

    def read_text(self, path: str) -> str:
        """Return the first 2**20 bytes of the file at `path` as text, invalid bytes replaced."""
        with self._place(path).open("rb") as file:
            return file.read(_MAX_READ).decode("utf-8", "replace")

    def write_text(self, path: str, content: str) -> None:
        """Replace the file at `path`."""
        files.write_atomic(self._place(path), content, mode=0o644, durable=False)

    def _place(self, path: str) -> Path:
        try:
            below = Path(path).relative_to(places.TRAJECTORY_FOLDER)
        except ValueError:
            return self.root / path
        return places.trajectory_dir(self.root) / below
