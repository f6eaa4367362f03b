"""Write `tests/data/release-VERSION.backup`: a small filled database of this release, from which later ones migrate.

    python -m tools.release_backup [FOLDER]

It has some rows of every kind, made by the code that ships. The file of every release is kept, and
`tests/test_releases.py` restores each of them with the code of the day.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 300_000  # bytes: the file is in every checkout


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        os.environ |= {
            "MEMORYSERVER_DATA": temporary,
            "MEMORYSERVER_EMBEDDING_SERVICE": "tests.support.embedder.WordEmbedder",  # its vectors are mostly zeros
            "DJANGO_SETTINGS_MODULE": "memoryserver.settings",
        }
        os.environ.pop("DATABASE_URL", None)
        import django

        django.setup()
        from memoryserver.ops.postgres import EmbeddedPostgres

        postgres = EmbeddedPostgres(Path(temporary))
        postgres.start()
        try:
            path = _write(folder)
        finally:
            postgres.stop()
    size = path.stat().st_size
    print(f"Wrote {path}: {size:,} bytes.")
    if size > LARGEST:
        sys.exit(f"That is more than {LARGEST:,} bytes; make the data smaller.")


def _write(folder: Path) -> Path:
    from django.core.management import call_command

    from ghap.jobs import persist_pending
    from memoryserver import __version__
    from memoryserver.ops.backups import archive, dumping
    from tests.support.database.restored_server import fill

    call_command("migrate", verbosity=0)
    fill()
    persist_pending()
    archive._LEVEL = 9
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"release-{__version__}{archive.SUFFIX}"
    dumping.make(path, archive.silent, with_key=False)
    return path


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests" / "data")
