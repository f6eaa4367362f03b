"""Builds the image of deploy/docker with buildah, runs it as it is, and asks its health check.

    python bench/image.py [--base IMAGE] [--commit HEAD] [--extra light]

Needs root, buildah and debootstrap of Debian, and minutes. Without `--base` the image is built on a Debian that
debootstrap makes of this machine's package sources, since its own base is on a registry that may be out of reach. What
apt and pip are told on this machine (mirrors, certificates) is lent to the build. The port 8000 must be free: the
container has this machine's network.

Ends with status 1 unless the health check succeeds while the server runs, fails after it has ended, and the server runs
as the image's user. The last line is JSON; row `size` is that of the image to that of its base.
"""

from __future__ import annotations

import argparse
import configparser
import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RELEASE = "bookworm"
TAG, BASE_TAG = "localhost/memoryserver:bench", "localhost/memoryserver-bench-base:latest"
LENT_TAG = "localhost/memoryserver-bench-lent:latest"
FILE = "deploy/docker/Dockerfile"
START_SECONDS, STOP_SECONDS = 180.0, 120.0
APT, CERTIFICATES = Path("/etc/apt/apt.conf.d"), Path("/etc/ssl/certs/ca-certificates.crt")
PIP = (Path("/etc/pip.conf"), Path.home() / ".config/pip/pip.conf")
CHROOT = ("--isolation", "chroot")


class ImageError(Exception):
    """A step failed; its last lines say why."""


def run(*words: str, folder: Path | None = None) -> str:
    """Return what a command prints. Raises ImageError."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ImageError(f"{' '.join(words[:3])} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout.strip()


def mirror() -> str:
    """Return the first Debian mirror of this machine's package sources."""
    files = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    text = "\n".join(path.read_text() for path in files if path.suffix in (".list", ".sources") and path.is_file())
    found = re.search(r"^(?:URIs:|deb(?: \[[^\]]*\])?) *(\S+)", text, re.MULTILINE)
    if found is None:
        raise ImageError("no Debian mirror in /etc/apt; name an image with --base")
    return found[1]


def make_base(folder: Path) -> str:
    """Make an image of a minimal Debian and return its name."""
    tree = folder / "debian"
    run("debootstrap", "--variant=minbase", RELEASE, str(tree), mirror())
    with container("scratch") as made:
        run("buildah", "add", made, str(tree), "/")
        run("buildah", "commit", made, BASE_TAG)
    return BASE_TAG


@contextlib.contextmanager
def container(image: str) -> Iterator[str]:
    """Yield the name of a new container of `image`; it is removed afterwards."""
    name = run("buildah", "from", "--pull-never", image)
    try:
        yield name
    finally:
        run("buildah", "rm", name)


def with_certificates(base: str) -> str:
    """Return an image of `base` in which pip takes the certificates that this machine trusts."""
    with container(base) as lent:
        run("buildah", "config", "--env", "PIP_CERT=/run/lent.crt", lent)
        run("buildah", "commit", lent, LENT_TAG)
    return LENT_TAG


def build(folder: Path, base: str, commit: str, extra: str) -> None:
    """Build the image from the files of `commit`, as `make release` does.

    In Docker's format: that of the OCI has no health checks.
    """
    source = folder / "source"
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", commit], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(source, filter="data")
    pip = configparser.ConfigParser(interpolation=None)
    pip.read(PIP)
    with (folder / "pip.conf").open("w") as file:
        pip.write(file)
    places = {APT: APT, CERTIFICATES: "/run/lent.crt", folder / "pip.conf": "/etc/pip.conf"}
    lent = [f"--volume={here}:{there}:ro" for here, there in places.items()]
    arguments = [f"--build-arg={name}={value}" for name, value in (("BASE", base), ("EXTRA", extra))]
    run(
        "buildah",
        "build",
        "--format",
        "docker",
        *CHROOT,
        *lent,
        *arguments,
        "--file",
        FILE,
        "--tag",
        TAG,
        ".",
        folder=source,
    )


def megabytes(image: str) -> float:
    """Return the size of an image's layers, unpacked."""
    name, _, tag = image.rpartition(":")
    (found,) = [
        row
        for row in json.loads(run("buildah", "images", "--json"))
        if any(known.endswith(f"{name}:{tag}") for known in row["names"] or [])
    ]
    size = re.fullmatch(r"([\d.]+) ([KMG])B", found["size"])
    assert size is not None, found["size"]
    return float(size[1]) * {"K": 0.001, "M": 1.0, "G": 1000.0}[size[2]]


def serve(image: str) -> dict[str, Any]:
    """Run the image's command, ask its health check, and have it end; return what was found."""
    configuration = json.loads(run("buildah", "inspect", "--type", "image", image))["Docker"]["config"]
    command = [*configuration["Entrypoint"], *configuration["Cmd"]]
    check = configuration["Healthcheck"]["Test"][1:]
    with container(image) as name, tempfile.TemporaryFile() as log:
        in_it = ["buildah", "run", *CHROOT, name, "--"]
        began = time.monotonic()
        server = subprocess.Popen([*in_it, *command], stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            healthy = wait_for(lambda: succeeds([*in_it, *check]), server, START_SECONDS)
            seconds = time.monotonic() - began
            users = users_of(server.pid)
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(STOP_SECONDS)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
        log.seek(0)
        return {
            "healthy": healthy,
            "seconds": round(seconds, 1),
            "user": configuration["User"],
            "users": sorted(users),
            "healthy afterwards": succeeds([*in_it, *check]),
            "said": log.read().decode(errors="replace")[-2000:] if not healthy else "",
        }


def wait_for(condition: Any, server: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait until `condition` holds; return False if the server ends, or after so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and server.poll() is None:
        if condition():
            return True
        time.sleep(0.5)
    return False


def succeeds(command: Sequence[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def users_of(group: int) -> set[int]:
    """Return the users of the server's own processes: those of `group` and below that run Python in the image."""
    parents, users = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "cmdline").read_text().startswith("/opt/memoryserver/"):
                users[int(folder.name)] = folder.stat().st_uid
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])

    def below(pid: int) -> bool:
        return pid == group or (pid in parents and pid > 1 and below(parents[pid]))

    return {user for pid, user in users.items() if below(pid)}


def main() -> None:
    """Build, run, print, and end with status 1 if something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="", help="an image of Debian that is here already")
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--extra", default="light", choices=["light", "server"])
    given = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="image-") as folder:
            base = given.base or make_base(Path(folder))
            build(Path(folder), with_certificates(base), given.commit, given.extra)
        found = serve(TAG)
        sizes = megabytes(TAG), megabytes(base)
    except ImageError as error:
        sys.exit(str(error))
    print(f"The image has {sizes[0]:.0f} MB, its base {sizes[1]:.0f} MB; it was healthy after {found['seconds']} s.")
    good = found["healthy"] and not found["healthy afterwards"] and found["users"] == [int(found["user"])]
    rows = [{"what": "size", "ratio": round(sizes[0] / sizes[1], 2)}]
    print(json.dumps({"bench": "image", "good": good, **found, "rows": rows}))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
