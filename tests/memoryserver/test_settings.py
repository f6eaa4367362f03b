"""The settings of django-q2, each against a trap of its defaults."""

from __future__ import annotations

import inspect

import pytest
from django.conf import settings
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
