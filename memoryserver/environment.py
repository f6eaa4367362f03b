"""Environment variables of the server; every variable is read here or in settings.py.

A variable `NAME_FILE` names a file that holds the value of `NAME` (as container secrets do).
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
IN_CHECKOUT = (BASE_DIR / "manage.py").is_file() and (BASE_DIR / "pyproject.toml").is_file()
"""Whether this code is run from the repository; else it was installed from a wheel."""

ASSETS = BASE_DIR if IN_CHECKOUT else Path(__file__).resolve().parent
"""The folder of `templates/` and `static/`, which the wheel has in the package (hatch_build.py)."""

KEY_FILE = "secret_key"  # in the data folder

env = environ.FileAwareEnv()
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_HOST = re.compile(r"\*|\.?[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\]")
_ON, _OFF = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


def whole_number(name: str, *, default: int, at_least: int = 0) -> int:
    """Return the number in the variable `name`. Raises ImproperlyConfigured for anything else or a smaller one."""
    text: str = env.str(name, default=str(default))
    try:
        number = int(text)
    except ValueError:
        number = at_least - 1
    if number < at_least:
        raise ImproperlyConfigured(f"{name} must be a whole number of at least {at_least}, not {text[:40]!r}")
    return number


def flag(name: str) -> bool:
    """Return whether the variable `name` is on; off if it is not set. Raises ImproperlyConfigured for other words."""
    text: str = env.str(name, default="").strip().lower()
    if text in _ON:
        return True
    if text in _OFF:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {text[:40]!r}")


def log_level() -> str:
    """Return the least level that is logged, by MEMORYSERVER_LOG_LEVEL. Raises ImproperlyConfigured for other words."""
    text: str = env.str("MEMORYSERVER_LOG_LEVEL", default="INFO").upper()
    if text not in _LEVELS:
        raise ImproperlyConfigured(f"MEMORYSERVER_LOG_LEVEL must be one of {', '.join(_LEVELS)}, not {text[:40]!r}")
    return text


def mail_server(name: str, *, default: str) -> dict[str, Any]:
    """Return Django's settings of the mail server in the variable `name`. Raises ImproperlyConfigured."""
    try:
        return dict(env.email_url_config(env.str(name, default="") or default))
    except (ImproperlyConfigured, ValueError) as error:
        raise ImproperlyConfigured(f"{name} must be an address like smtp+tls://user:password@host:587") from error


def listening_port() -> int:
    """Return the port of the web server. Raises ImproperlyConfigured if the variable has something else."""
    return whole_number("MEMORYSERVER_PORT", default=8000)


def local_address() -> str:
    """Return the address at which the web server listens, by its settings, as it is reached on this machine."""
    host: str = env.str("MEMORYSERVER_HOST", default="127.0.0.1")
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  (compared, not listened on)
    return f"http://[{host}]:{listening_port()}" if ":" in host else f"http://{host}:{listening_port()}"


def check_files() -> None:
    """Raise ImproperlyConfigured if a file that a variable `NAME_FILE` names cannot be read."""
    for name, path in os.environ.items():
        if (
            name.startswith(("MEMORYSERVER_", "DATABASE_URL"))
            and name.endswith("_FILE")
            and not os.access(path, os.R_OK)
        ):
            raise ImproperlyConfigured(f"{name} names {path}, which cannot be read")


def data_dir() -> Path:
    """Return the folder of all files the server keeps on this machine.

    It is `$MEMORYSERVER_DATA`; by default `var/` in the checkout, without one `memoryserver/` in the user's data.
    Creates it (mode 0700) if missing. Raises ImproperlyConfigured if it is not writable.
    """
    folder = Path(env.str("MEMORYSERVER_DATA", default="") or _default_data_dir()).expanduser().resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(_not_writable(folder, error.strerror)) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(_not_writable(folder, "no write permission"))
    return folder


def secret_key(folder: Path) -> str:
    """Return `$MEMORYSERVER_SECRET_KEY`, or the key stored in `folder`.

    That key is created on first use and readable by its owner only. Raises ImproperlyConfigured if it cannot be
    written.
    """
    configured_key: str = env.str("MEMORYSERVER_SECRET_KEY", default="")
    if configured_key:
        return configured_key
    path = folder / KEY_FILE
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text("ascii").strip()
    except OSError as error:
        raise ImproperlyConfigured(_not_writable(folder, error.strerror)) from error
    with os.fdopen(descriptor, "w") as file:
        key = secrets.token_urlsafe(50)
        file.write(key)
    return key


def manage_command(*words: str) -> list[str]:
    """Return the command line of a management command; it works from any folder."""
    if IN_CHECKOUT:
        return [sys.executable, str(BASE_DIR / "manage.py"), *words]
    return [sys.executable, "-P", "-m", "memoryserver.ops.management.program", *words]


def web_address(name: str) -> str:
    """Return the http(s) URL in the variable `name`, "" if unset. Raises ImproperlyConfigured for any other value."""
    address: str = env.str(name, default="")
    if address and not address.startswith(("http://", "https://")):
        raise ImproperlyConfigured(f"{name} must be an address that begins with http:// or https://")
    return address


def redis_address(name: str) -> str:
    """Return the address of a Redis in the variable `name`, "" if unset. Raises ImproperlyConfigured for another."""
    address: str = env.str(name, default="")
    if address and not address.startswith(("redis://", "rediss://", "unix://")):
        raise ImproperlyConfigured(f"{name} must be an address like redis://:password@host:6379/0")
    return address


def hosts(name: str, *, default: list[str]) -> list[str]:
    """Return the host names in the variable `name`. Raises ImproperlyConfigured for what no request can match."""
    names = [word.strip() for word in env.list(name, default=default)]
    for word in names:
        if not _HOST.fullmatch(word.lower()):
            raise ImproperlyConfigured(
                f"{name} must be names such as memory.example.org, without https:// and port, not {word[:60]!r}"
            )
    return names


def origins(name: str) -> list[str]:
    """Return the origins in the variable `name`. Raises ImproperlyConfigured for what no request can match."""
    words = [word.strip().removesuffix("/") for word in env.list(name, default=[])]
    for word in words:
        parts = urlsplit(word)
        if parts.scheme not in ("http", "https") or word != f"{parts.scheme}://{parts.netloc}":
            raise ImproperlyConfigured(f"{name} must be origins such as https://memory.example.org, not {word[:60]!r}")
    return words


def _default_data_dir() -> Path:
    if IN_CHECKOUT:
        return BASE_DIR / "var"
    return Path(env.str("XDG_DATA_HOME", default="") or "~/.local/share") / "memoryserver"


def _not_writable(folder: Path, reason: str | None) -> str:
    return f"the data folder {folder} is not writable ({reason}); set MEMORYSERVER_DATA to a writable folder"
