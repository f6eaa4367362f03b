"""What the logs of a laptop have of errors."""

from __future__ import annotations

from capture.local.service.logfile import LOG_FILE
from memorycli.doctor.checks import examine
from memorycli.doctor.finding import Finding
from memorycli.doctor.logs import last_errors
from memorycli.hook import log
from tests.support.laptops.laptop import Laptop


def test_last_error_of_each_log_comes_with_the_latest_first(memory: Laptop) -> None:
    log.write("old")
    log.write("disk\x1b[31m full " + "x" * 5000)
    path = memory.home / LOG_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("2020-01-02T03:04:05Z INFO capture.scan fine\n2020-01-02T03:04:06Z ERROR capture.scan broken\n")

    hook, capture = last_errors(memory.home)

    assert capture == {"where": "capture", "at": "2020-01-02T03:04:06Z", "error": "broken"}
    assert (hook["where"], "\x1b" in hook["error"], len(hook["error"]) <= 300) == ("hook", False, True)
    assert hook["error"].startswith("disk")


def test_error_of_the_last_day_is_a_finding_with_its_file(memory: Laptop) -> None:
    log.write("gave up: the time limit of the hook was reached")
    path = memory.home / log.FILE

    what = "the last error of hook, just now: gave up: the time limit of the hook was reached"
    assert examine(offline=True)["logs"] == [Finding(what, f"read {path}; an error counts for a day")]

    path.write_text(path.read_text().replace(path.read_text()[:4], "2020"))
    assert examine(offline=True)["logs"] == []

    path.write_text(path.read_text().replace("2020", "2999"))
    assert examine(offline=True)["logs"] == []
