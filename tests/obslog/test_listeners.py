"""Sign-ins, tokens, jobs and alerts are in the log."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings as the_settings
from django.test import Client
from django.urls import reverse
from django_q.tasks import async_task

from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.ops.alerting.signals import alert_raised
from obslog.models import Observation
from tests.support.rows.factories import UserFactory


@pytest.fixture
def dora(db: None, settings: Any) -> User:
    """Has a password, and one that is quickly checked."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    dora = UserFactory(username="dora")
    dora.set_password("correct horse")
    dora.save()
    return dora


def sign_in(name: str, password: str) -> Any:
    return Client(REMOTE_ADDR="192.0.2.7").post(reverse("account_login"), {"login": name, "password": password})


def told() -> list[tuple[Any, ...]]:
    return [(row.user, row.type, row.source, row.message) for row in Observation.objects.order_by("arrival")]


def test_signing_in_and_out_is_told(dora: User) -> None:
    client = Client(REMOTE_ADDR="192.0.2.7")
    client.post(reverse("account_login"), {"login": "dora", "password": "correct horse"})
    client.post(reverse("account_logout"))

    assert told() == [
        (dora, "user.signed_in", "system:accounts", "signed in"),
        (dora, "user.signed_out", "system:accounts", "signed out"),
    ]
    assert Observation.objects.filter(type="user.signed_in").get().data == {"address": "192.0.2.7"}


def test_failed_sign_in_is_told_to_the_one_it_was_tried_for(dora: User) -> None:
    sign_in("dora", "wrong")

    assert told() == [(dora, "user.sign_in_failed", "system:accounts", "a sign-in failed")]


def test_name_that_does_not_exist_is_not_written_down(dora: User) -> None:
    sign_in("my password", "dora")

    assert told() == []


def test_token_that_is_issued_and_revoked_is_told_without_its_secret(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")
    tokens.revoke(token)
    tokens.revoke(token)

    assert told() == [
        (alice, "token.issued", "system:accounts", f"token laptop ({token.prefix}…) was issued"),
        (alice, "token.revoked", "system:accounts", f"token laptop ({token.prefix}…) was revoked"),
    ]
    for row in Observation.objects.all():
        assert row.scope_ids == [token.prefix]
        assert text not in f"{row.message}{row.data}{row.details}"


def test_use_of_a_token_from_a_new_address_is_recorded(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")
    for address in ("192.0.2.1", "192.0.2.2"):
        tokens.authenticate(text, address=address, client="memory/0.1.0")

    row = Observation.objects.get(type="token.used_from_new_address")
    assert (row.user, row.message) == (alice, f"token laptop ({token.prefix}…) was used from a new address")
    assert row.data == {"name": "laptop", "prefix": token.prefix, "address": "192.0.2.2", "client": "memory/0.1.0"}


def test_job_that_fails_is_told_with_its_last_words(transactional_db: None) -> None:
    """The cluster's worker runs the job in this process, as it does in one of its own."""
    from multiprocessing import Queue, Value

    from django_q.signing import SignedPackage
    from django_q.worker import worker

    todo: Any = Queue()
    done: Any = Queue()
    todo.put(SignedPackage.loads(_packed("tests.obslog.test_listeners.failing_job")))
    todo.put(SignedPackage.loads(_packed("tests.obslog.test_listeners.good_job")))
    todo.put("STOP")
    worker(todo, done, Value("f", -1))

    (row,) = Observation.objects.all()
    assert (row.user, row.type, row.source) == (None, "job.failed", "system:jobs")
    assert row.message == "tests.obslog.test_listeners.failing_job failed: ValueError: no such luck"
    assert "Traceback" in str(row.details)
    assert row.scope_ids == ["failing_job", "tests.obslog.test_listeners.failing_job"]


def _packed(function: str) -> str:
    from django_q.models import OrmQ

    async_task(function, task_name=function.rpartition(".")[2])
    waiting = OrmQ.objects.get()
    payload: str = waiting.payload
    waiting.delete()
    return payload


def failing_job() -> None:
    raise ValueError("no such luck")


def good_job() -> None:
    pass


def test_alert_is_told(db: None) -> None:
    alert_raised.send("anything", message="embedding fails", about=["capture.Learning 7"])

    assert told() == [(None, "server.alert", "system:alerts", "embedding fails")]
    assert Observation.objects.get().scope_ids == ["capture.Learning 7"]


def test_first_administrator_has_a_token_in_the_log(db: None) -> None:
    from memoryserver.ops.bootstrap import first_admin

    first_admin(lambda _credentials: None)

    assert [row[1] for row in told()] == ["token.issued"]


def test_jobs_of_the_log_are_scheduled() -> None:
    assert {name for _, name, _ in the_settings.JOB_SCHEDULES} >= {
        "obslog.jobs.make_partitions",
        "obslog.jobs.drop_old_months",
    }


def test_what_fails_to_be_embedded_again_and_again_is_an_alert_once(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ghap import jobs
    from ghap.intake import receive
    from ghap.models import Entry
    from memoryserver.embedding import EmbeddingModelError
    from tests.support.embedder import WordEmbedder
    from tests.support.rows.ghap_entries import body

    class Failing(WordEmbedder):
        def embed_batch(self, texts: Any) -> Any:
            raise EmbeddingModelError("out of memory")

    monkeypatch.setattr(jobs, "service", Failing)
    receive(alice, None, [body()])
    for _ in range(8):
        jobs.persist_pending()
        Entry.objects.update(embed_after=None)

    (row,) = Observation.objects.filter(type="server.alert")
    name = f"ghap.Entry {Entry.objects.get().pk}"
    assert row.message == f"{name} could not be embedded in 5 attempts: out of memory"
    assert row.scope_ids == [name]
