"""The settings of django-q2, each against a trap of its defaults."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils.module_loading import import_string
from django_q.conf import Conf

from capture.sink import EMBED_JOB
from ghap.intake import PERSIST_JOB

JOBS = sorted({*(function for _, function, _ in settings.JOB_SCHEDULES), EMBED_JOB, PERSIST_JOB})


def test_failed_job_is_not_tried_for_ever() -> None:
    assert (Conf.MAX_ATTEMPTS, Conf.ACK_FAILURES) == (3, True)


def test_every_job_has_a_timeout() -> None:
    assert Conf.TIMEOUT == 300


def test_runs_that_were_missed_are_not_made_up_for() -> None:
    assert Conf.CATCH_UP is False


def test_queue_is_asked_once_a_second() -> None:
    assert Conf.POLL == 1


def test_successes_are_pruned() -> None:
    assert Conf.SAVE_LIMIT == 250


def test_workers_share_no_pool_of_connections() -> None:
    assert "pool" not in settings.DATABASES["default"].get("OPTIONS", {})
    assert settings.DATABASES["default"]["CONN_HEALTH_CHECKS"] is True


def test_names_of_schedules_are_unique() -> None:
    names = [name for name, _, _ in settings.JOB_SCHEDULES]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("job", JOBS)
def test_every_job_is_there_under_its_name_and_takes_no_arguments(job: str) -> None:
    required = [
        parameter.name
        for parameter in inspect.signature(import_string(job)).parameters.values()
        if parameter.default is parameter.empty
    ]

    assert required == []


def test_mail_waits_no_longer_than_ten_seconds() -> None:
    assert settings.EMAIL_TIMEOUT == 10


def test_server_behind_tls_passes_the_checks_of_deployment(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "MEMORYSERVER_TLS": "1", "MEMORYSERVER_DEBUG": "0", "MEMORYSERVER_DATA": str(tmp_path)}
    words = [sys.executable, str(root / "manage.py"), "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(words, env=environment, capture_output=True, check=False, text=True)

    assert (done.returncode, done.stderr) == (0, "")


def test_probes_are_not_sent_to_tls(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True

    assert Client().get("/healthz").status_code == 200
    assert Client().get("/login/").headers["Location"] == "https://testserver/login/"


def test_mails_are_files_of_the_data_folder_without_a_mail_server(tmp_path: Path) -> None:
    environment = {**os.environ, "MEMORYSERVER_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "memoryserver.settings"}
    show = "from django.conf import settings; print(settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH)"
    done = subprocess.run([sys.executable, "-c", show], env=environment, capture_output=True, check=True, text=True)

    assert done.stdout.split() == ["django.core.mail.backends.filebased.EmailBackend", str(tmp_path / "mail")]
