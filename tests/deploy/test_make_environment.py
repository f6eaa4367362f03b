"""What `make run` does before it starts the server, in a checkout of its own; no package is installed here."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.processes.server_process import ROOT

SCRIPT = ROOT / "deploy" / "make_environment.py"
NO_INDEX = (
    "make: the package index could not be reached (Connection refused). The first run needs a network, or an index "
    "that can be reached in PIP_INDEX_URL; later runs need none"
)
CUDA = (
    "torch 2.13.0 is a build for graphics cards (13.0), gigabytes larger than needed, since PyTorch's index "
    "(https://download.pytorch.org/whl/cpu) was not reached. Another one: make clean run TORCH_INDEX=...; "
    "without torch: make clean run LIGHT=1\n"
)
NO_NAME = (
    "WARNING: Retrying: [Errno -3] Temporary failure in name resolution')': /simple/torch/\n"
    "ERROR: No matching distribution found for torch\n"
)

Make = Callable[..., list[str]]


@pytest.fixture
def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_environment", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What of a checkout `make run` reads before it installs."""
    folder = tmp_path / "checkout"
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "deploy/make_environment.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text((ROOT / name).read_text())
    return folder


@pytest.fixture
def make(checkout: Path, tmp_path: Path) -> Make:
    """Run make as a user without a network and without settings of pip's; the lines that it prints."""

    def run(*words: str) -> list[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path / "home"),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
            "PIP_RETRIES": "1",
            "TORCH_INDEX": "http://127.0.0.1:9/whl/cpu",
        }
        command = ["make", *words, f"PYTHON={sys.executable}"]
        done = subprocess.run(
            command,
            cwd=checkout,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        return [line for line in done.stdout.splitlines() if "***" not in line]  # what make adds itself

    return run


def test_environment_that_is_half_made_is_made_again_and_the_next_run_goes_on_where_one_had_no_network(
    make: Make,
    checkout: Path,
    module: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In one test, since to make an environment takes seconds."""
    folder = checkout / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)  # as `python -m venv` begins
    again, said = ".venv is damaged or was not finished; it is made again.", ["Installing, this once …", NO_INDEX]

    assert (make("run"), make("run", "LIGHT=1")) == ([again, *said], said)
    assert not (folder / ".installing").exists()

    (folder / ".installing").touch()  # an installation was killed
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(module.SetupError, match="a virtual environment cannot be made"):
        module.Environment(folder).make()
    assert (capsys.readouterr().out, folder.exists()) == (f"{again}\n", False)


def test_environment_that_is_finished_is_left_alone(checkout: Path, make: Make) -> None:
    """The server is not there, of course."""
    (checkout / ".venv" / "bin").mkdir(parents=True)
    (checkout / ".venv" / ".light").touch()

    assert make("run")[-1].endswith(".venv/bin/python: not found") or "No such file" in make("run")[-1]
    assert {path.name for path in (checkout / ".venv").iterdir()} == {"bin", ".light"}


def test_python_that_is_too_old_is_one_line(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OLDEST", (4, 0))

    with pytest.raises(module.SetupError, match=r"Python 4.0 or later is needed, not 3\.\S+; name it: make PYTHON="):
        module.main("somewhere", "server")


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("__version__ = '2.13.0+cpu'\ncuda = None\n", "torch 2.13.0+cpu is the build for processors.\n"),
        ("__version__ = '2.13.0'\ncuda = '13.0'\n", CUDA),
        ("", ""),
    ],
    ids=["processors", "graphics cards", "none"],
)
def test_build_of_torch_is_named_after_the_installation(
    version: str, said: str, module: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    if version:
        (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
        (site / "torch").mkdir()
        (site / "torch" / "__init__.py").write_text("raise RuntimeError('importing it takes seconds')\n")
        (site / "torch" / "version.py").write_text(version)

    module.Environment(tmp_path / "env")._say_which_torch()

    assert capsys.readouterr().out == said


@pytest.fixture
def index() -> Iterator[str]:
    """PyTorch's index, as far as it is looked at."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/whl/cpu/torch/" else 404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/whl/cpu"
        server.shutdown()
        thread.join()


def test_index_of_pytorch_is_given_to_pip_where_it_can_be_reached(
    index: str, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []
    for address in (index, f"{index}/", f"{index}/nothing", "http://127.0.0.1:9/whl", "no address", ""):
        monkeypatch.setenv("TORCH_INDEX", address)
        given.append(module._torch_index())

    assert given == [["--extra-index-url", index], ["--extra-index-url", index], [], [], [], []]


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        (NO_NAME, "the package index could not be reached (its name could not be resolved)."),
        (
            "ERROR: No space left on device\nERROR: more\n",
            "pip could not install the packages: No space left on device",
        ),
        ("killed\n", "pip could not install the packages: killed"),
        ("", "pip could not install the packages: no reason was given"),
    ],
)
def test_failure_of_pip_is_one_line(errors: str, said: str, module: ModuleType) -> None:
    reason = module._reason(errors)

    assert reason.startswith(said)
    assert "\n" not in reason
