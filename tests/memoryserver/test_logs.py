"""The log of a process, read from its standard error; a process of its own, since logging is set up once for all."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memoryserver.logs import logging_configuration

SET_UP = """
import logging, structlog
from memoryserver.logs import configure, logging_configuration
configure(logging_configuration("INFO"))
"""


def logged(script: str) -> list[dict[str, Any]]:
    """The lines that a process with this script logs, without their times."""
    process = subprocess.run([sys.executable, "-c", SET_UP + script], capture_output=True, text=True, check=True)
    assert process.stdout == ""
    events = [json.loads(line) for line in process.stderr.splitlines()]
    for event in events:
        assert datetime.fromisoformat(event.pop("timestamp")).utcoffset() == timedelta(0)
    return events


def test_both_kinds_of_loggers_write_the_same_form() -> None:
    script = """
logging.getLogger("one").warning("%s of %d", "disk", 2, extra={"reason": "full"})
structlog.get_logger("two").warning("%s of %d", "disk", 2, reason="full")
"""

    assert logged(script) == [
        {"event": "disk of 2", "level": "warning", "logger": logger, "reason": "full"} for logger in ("one", "two")
    ]


def test_exception_is_one_line_with_its_traceback() -> None:
    script = """
try:
    raise ValueError("first\\nsecond")
except ValueError:
    logging.getLogger("one").exception("it failed")
"""

    (event,) = logged(script)

    traceback = event.pop("exception")
    assert event == {"event": "it failed", "level": "error", "logger": "one"}
    assert traceback.startswith("Traceback (most recent call last):")
    assert traceback.endswith("ValueError: first\nsecond")


def test_record_below_the_level_is_not_written() -> None:
    script = """
for logger in (logging.getLogger("one"), structlog.get_logger("two")):
    logger.debug("left out")
    logger.info("written")
"""

    assert [event["event"] for event in logged(script)] == ["written", "written"]


def test_loggers_with_handlers_of_their_own_write_each_record_once() -> None:
    script = """
import django_q.conf
for name in ("django-q", "django.server"):
    logging.getLogger(name).warning("once")
logging.getLogger("django-q").info("left out")
"""

    assert [(event["logger"], event["event"]) for event in logged(script)] == [
        ("django-q", "once"),
        ("django.server", "once"),
    ]


def test_context_variables_are_part_of_every_record() -> None:
    script = """
structlog.contextvars.bind_contextvars(job="nightly")
logging.getLogger("one").info("x")
structlog.get_logger("two").info("x")
"""

    assert [event["job"] for event in logged(script)] == ["nightly", "nightly"]


def test_terminal_gets_lines_for_people() -> None:
    ours, theirs = pty.openpty()
    script = SET_UP + 'logging.getLogger("one").warning("the disk is full")'
    with subprocess.Popen([sys.executable, "-c", script], stderr=theirs) as process:
        os.close(theirs)
        line = os.read(ours, 10_000).decode()
    os.close(ours)

    assert process.returncode == 0
    assert "the disk is full" in line
    assert not line.startswith("{")


def test_level_is_the_one_asked_for() -> None:
    configuration = logging_configuration("ERROR")

    assert (configuration["root"]["level"], configuration["loggers"]["django.server"]["level"]) == ("ERROR", "ERROR")


WITH_FILE = """
import logging, sys
from pathlib import Path
from memoryserver.logs import configure, logging_configuration
configure(logging_configuration("INFO", Path(sys.argv[1])))
"""


def log_to(path: Path, script: str) -> list[dict[str, Any]]:
    """The lines that a process with this script leaves in the file of errors."""
    command = [sys.executable, "-c", WITH_FILE + script, str(path)]
    subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_errors_are_kept_in_a_file_that_only_the_owner_reads(tmp_path: Path) -> None:
    script = """
logging.getLogger("one").warning("no error")
logging.getLogger("django.server").error("of a logger with a handler of its own")
logging.getLogger("one").error("https://bob:hunter2secret@example.org/ is down")
"""
    path = tmp_path / "errors.log"

    lines = log_to(path, script)

    assert [line["logger"] for line in lines] == ["django.server", "one"]
    assert "hunter2secret" not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_file_of_errors_that_has_grown_large_is_begun_again_and_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "errors.log"
    path.write_bytes(b"x" * 1_000_001)

    lines = log_to(path, "logging.getLogger('one').error('new')")

    assert [line["event"] for line in lines] == ["new"]
    assert (tmp_path / "errors.log.1").stat().st_size == 1_000_001


def test_file_of_errors_that_cannot_be_written_disturbs_nothing(tmp_path: Path) -> None:
    script = "logging.getLogger('one').error('still logged')"
    command = [sys.executable, "-c", WITH_FILE + script, str(tmp_path / "missing" / "errors.log")]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert [json.loads(line)["event"] for line in done.stderr.splitlines()] == ["still logged"]


OUTAGE = """
import psycopg
from django.db import OperationalError
def fail(error):
    try:
        try:
            psycopg.connect(host="/nowhere", user="someone", dbname="memory", connect_timeout=2)
        except psycopg.OperationalError as refused:
            raise error from refused
    except Exception:
        logging.getLogger("one").exception("it failed", extra={"check": "of jobs"})
fail(OperationalError("connection\\nfailed"))
"""


def test_outage_of_the_database_is_a_warning_in_one_line_with_the_reason() -> None:
    assert logged(OUTAGE) == [
        {
            "event": "it failed",
            "level": "warning",
            "logger": "one",
            "check": "of jobs",
            "reason": "connection",
        }
    ]


def test_traceback_of_an_outage_is_kept_where_debugging_is_on() -> None:
    (event,) = [each for each in logged("logging.getLogger().setLevel('DEBUG')\n" + OUTAGE) if each["logger"] == "one"]

    assert event["level"] == "warning"
    assert event["exception"].startswith("Traceback (most recent call last):")


def test_errors_file_has_no_outages_but_what_failed(tmp_path: Path) -> None:
    path = tmp_path / "errors.log"
    script = f"""
from pathlib import Path
configure(logging_configuration("INFO", Path({str(path)!r})))
{OUTAGE}
logging.getLogger("two").error("a fault")
"""
    logged(script)

    assert [json.loads(line)["event"] for line in path.read_text().splitlines()] == ["a fault"]


def test_answer_with_503_is_not_logged_again_and_other_answers_are() -> None:
    script = """
for status in (500, 502, 503):
    logging.getLogger("django.request").error("of a path", extra={"status_code": status})
logging.getLogger("other").error("another's", extra={"status_code": 503})
"""

    assert [(event["event"], event["status_code"]) for event in logged(script)] == [
        ("of a path", 500),
        ("of a path", 502),
        ("another's", 503),
    ]


REFUSED = """
import django
from django.conf import settings
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None)
django.setup()
from django.http import HttpResponse
from django.test import Client
from django.urls import path
from memoryserver.keyset import InvalidCursorError
def view(request):
    raise InvalidCursorError
def broken(request):
    raise ValueError("a fault")
def handler400(request, exception):
    return HttpResponse(status=400)
def handler500(request):
    return HttpResponse(status=500)
urlpatterns = [path("list/", view), path("broken/", broken)]
for address in ("/list/", "/broken/"):
    Client(raise_request_exception=False).get(address)
"""


def test_refused_request_is_one_line_without_a_traceback_and_a_fault_keeps_its_own() -> None:
    refused, fault = logged(REFUSED)

    assert (refused["level"], refused["event"], refused["status_code"]) == (
        "warning",
        "cursor: invalid; use the one of the last response, or none for the first page: /list/",
        400,
    )
    assert "exception" not in refused
    assert (fault["level"], fault["exception"].rpartition("\n")[2]) == ("error", "ValueError: a fault")


def test_traceback_of_a_refused_request_is_kept_where_debugging_is_on() -> None:
    script = "logging.getLogger().setLevel('DEBUG')\n" + REFUSED
    refused = next(each for each in logged(script) if each.get("status_code") == 400)

    assert refused["exception"].startswith("Traceback (most recent call last):")
