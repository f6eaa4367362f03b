"""The rules of jobs, held for all: no arguments, run by the queue alone, scheduled, one of a kind waiting at most."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django_q.models import OrmQ

from memoryserver.jobs import enqueue
from memoryserver.ops.schedules import ensure_schedules
from tests.test_layout import PACKAGES, ROOT, modules, tree

# The queue's own module, and what a page shows of jobs.
NO_JOBS = {Path("memoryserver/jobs.py"), Path("memoryserver/operations/jobs.py")}
JOBS = sorted(path for path in modules(*PACKAGES) if path.name == "jobs.py" and path not in NO_JOBS)

# The button that runs a job now: the view refuses what is not scheduled.
CHECKED_NAMES = {Path("memoryserver/operations/views.py")}
MOST_STATEMENTS = 7  # of a job: what takes more belongs into a service

# Scheduled where a setting asks for them (settings.py), or called by a job that is scheduled.
NOT_ALWAYS_SCHEDULED = {
    "capture.jobs.judge_candidates",
    "capture.jobs.process_queue",
    "capture.jobs.scan_transcripts",
    "memoryserver.ops.jobs.back_up",
    "memoryserver.ops.jobs.deliver_alerts",  # `watch` delivers too
}


def name_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts)


def public_functions(path: Path) -> dict[str, Callable[..., Any]]:
    module = importlib.import_module(name_of(path))
    return {
        f"{module.__name__}.{name}": function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def all_jobs() -> dict[str, Callable[..., Any]]:
    return {name: function for path in JOBS for name, function in public_functions(path).items()}


def calls_of(function: str) -> Iterator[tuple[Path, ast.Call]]:
    """The calls of `function` by its bare name or as an attribute, in the whole server."""
    for path in modules(*PACKAGES):
        if function not in (ROOT / path).read_text():
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call):
                called = node.func
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                if name == function:
                    yield path, node


def test_jobs_of_every_app_are_found() -> None:
    assert {"capture", "ghap", "obslog", "trajectory"} <= {path.parts[0] for path in JOBS}
    assert len(all_jobs()) >= 18


def test_no_job_takes_arguments() -> None:
    """The queue holds one waiting job of a kind only because jobs of a kind are alike."""
    assert [name for name, function in all_jobs().items() if inspect.signature(function).parameters] == []


def test_every_job_is_scheduled_and_every_schedule_is_a_job() -> None:
    scheduled = {function for _, function, _ in settings.JOB_SCHEDULES}
    assert scheduled | NOT_ALWAYS_SCHEDULED == set(all_jobs())


def test_every_job_is_thin() -> None:
    long = {
        f"{path}:{node.name}": count
        for path in JOBS
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and (count := sum(isinstance(part, ast.stmt) for part in ast.walk(node)) - 2) > MOST_STATEMENTS
    }
    assert long == {}


def test_modules_of_jobs_have_no_helpers_and_no_loops() -> None:
    parts = {path: tree(path).body for path in JOBS}
    helpers = [
        f"{path}:{node.name}"
        for path, body in parts.items()
        for node in body
        if isinstance(node, ast.ClassDef) or (isinstance(node, ast.FunctionDef) and node.name.startswith("_"))
    ]
    loops = [
        str(path)
        for path, body in parts.items()
        for top in body
        for node in ast.walk(top)
        if isinstance(node, ast.For | ast.While | ast.comprehension)
    ]

    assert (helpers, loops) == ([], [])


def test_only_the_function_enqueue_adds_jobs_to_the_queue() -> None:
    assert {str(path) for path, _ in calls_of("async_task")} == {"memoryserver/jobs.py"}
    assert list(calls_of("AsyncTask")) == []


def test_every_enqueued_name_is_a_job_given_by_a_constant() -> None:
    """A name in a constant, which this test resolves, can be neither misspelt nor made of what a user sends."""
    wrong = []
    for path, call in calls_of("enqueue"):
        if path.parts[:2] == ("memoryserver", "ops") and path.parts[2] == "brokers":
            continue  # the method of the brokers, of django-q2's interface
        if path in CHECKED_NAMES:
            continue
        (argument,) = call.args
        value = getattr(importlib.import_module(name_of(path)), getattr(argument, "id", ""), None)
        if value not in all_jobs():
            wrong.append(f"{path}:{call.lineno}")
    assert wrong == []


@pytest.mark.django_db(transaction=True)
def test_no_second_job_of_a_kind_waits() -> None:
    ensure_schedules()
    for job in [*all_jobs()] * 3:
        enqueue(job)

    assert sorted(row.func() for row in OrmQ.objects.all()) == sorted(all_jobs())


def test_the_folder_of_the_server_was_looked_at() -> None:
    assert (ROOT / "memoryserver" / "jobs.py").exists()


def test_jobs_of_the_embedding_queue_are_jobs_that_embed() -> None:
    embedding = {name for name, function in all_jobs().items() if "service()" in inspect.getsource(function)}
    assert embedding <= set(settings.EMBEDDING_JOBS) <= set(all_jobs())
