from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.embedding import EmbeddingModelError
from memoryserver.embedding.openai_compatible import OpenAICompatibleService
from memoryserver.vectors import reembedding
from memoryserver.vectors.models import Collection, NextEmbedding, Record
from memoryserver.vectors.reembedding import reembed
from memoryserver.vectors.store import Item, PgVectorStore, VectorStoreError, embedding_digest
from tests.memoryserver.embedding.endpoint import Endpoint
from tests.memoryserver.vectors.plane import Digest, Other

BORN = datetime(2026, 1, 2, tzinfo=UTC)
ROOT = Path(__file__).parents[3]


def put(user: User, *texts: str, name: str = "things", embedded: bool = True) -> None:
    model = Digest()
    store = PgVectorStore(user)
    store.ensure_collection(name, model=model.model_name, dimension=model.dimension)
    store.upsert(
        name,
        [
            Item(
                key=text.split()[0],
                text=text,
                created_at=BORN,
                vector=model.embed(text) if embedded else None,
                embedded_as=embedding_digest(model.model_name, text),
            )
            for text in texts
        ],
    )


def vectors() -> dict[str, list[float]]:
    return {row.text: list(row.embedding) for row in Record.objects.exclude(embedding=None)}


def made_by(model: Digest, *texts: str) -> dict[str, object]:
    return {text: pytest.approx(model.embed(text), abs=1e-6) for text in texts}


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches, so that an error comes between two."""
    monkeypatch.setattr(reembedding, "BATCH", 2)


def test_every_collection_gets_the_new_models_vectors(alice: User) -> None:
    put(alice, "a one", "b two")
    put(alice, "c three", name="others")
    put(alice, "d not yet embedded", embedded=False)

    done = reembed(Other())

    assert (done.embedded, done.collections) == (4, ["others", "things"])
    assert vectors() == made_by(Other(), "a one", "b two", "c three", "d not yet embedded")
    assert list(Collection.objects.values_list("model", "dimension", "next_model")) == [("digest-12", 12, "")] * 2
    assert NextEmbedding.objects.count() == 0


def test_collections_move_to_an_embedding_endpoint(alice: User) -> None:
    put(alice, "a one", "b 二つ")
    with Endpoint() as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            done = reembed(OpenAICompatibleService(url=endpoint.url, model_name="multilingual"))
        finally:
            endpoint.shutdown()
            thread.join()

    assert (done.embedded, vectors()) == (2, {"a one": [1.0, 5.0], "b 二つ": [1.0, 4.0]})
    assert list(Collection.objects.values_list("model", "dimension")) == [("multilingual", 2)]


def test_after_it_the_same_text_costs_no_embedding(alice: User) -> None:
    put(alice, "a one")

    reembed(Other())

    assert PgVectorStore(alice).embedded_as("things", ["a"]) == {"a": embedding_digest("digest-12", "a one")}


def test_again_embeds_nothing(alice: User) -> None:
    put(alice, "a one")
    reembed(Other())

    done = reembed(Other())

    assert (done.embedded, done.collections) == (0, [])


def test_when_the_model_fails_in_the_middle_the_old_vectors_are_used_and_it_goes_on_later(
    alice: User, interrupted: None
) -> None:
    put(alice, "a one", "b two", "c three", "d four")
    Record.objects.filter(key="d").update(text="d poison")

    with pytest.raises(EmbeddingModelError, match="choked"):
        reembed(Other())

    assert vectors().keys() == {"a one", "b two", "c three", "d poison"}
    assert Collection.objects.get().model == "digest-8"
    assert NextEmbedding.objects.count() == 2
    Record.objects.filter(key="d").update(text="d four")
    assert reembed(Other()).embedded == 2
    assert vectors() == made_by(Other(), "a one", "b two", "c three", "d four")


def test_what_was_gathered_for_a_third_model_is_thrown_away(alice: User, interrupted: None) -> None:
    class Third(Digest):
        model_name = "digest-9"
        dimension = 9

    put(alice, "a one", "b two", "c three")
    Record.objects.filter(key="c").update(text="c poison")
    with pytest.raises(EmbeddingModelError):
        reembed(Third())
    Record.objects.filter(key="c").update(text="c three")

    assert reembed(Other()).embedded == 3
    assert vectors() == made_by(Other(), "a one", "b two", "c three")


def test_what_is_written_and_deleted_meanwhile_is_not_lost(alice: User, interrupted: None) -> None:
    class Busy(Other):
        """While it embeds the first batch, others write."""

        written = False

        def embed_batch(self, texts: object) -> list[list[float]]:
            if not self.written:
                self.written = True
                put(alice, "a one again", "e five")
                PgVectorStore(alice).delete("things", ["b", "c"])
            return super().embed_batch(texts)  # type: ignore[arg-type]

    put(alice, "a one", "b two", "c three", "d four")

    reembed(Busy())

    assert vectors() == made_by(Other(), "a one again", "d four", "e five")


def test_mismatch_names_the_command(alice: User) -> None:
    put(alice, "a one")

    with pytest.raises(VectorStoreError, match="run `manage.py reembed`, or set MEMORYSERVER_EMBEDDING_MODEL back"):
        PgVectorStore(alice).ensure_collection("things", model="digest-12", dimension=12)


@pytest.mark.django_db(transaction=True)
def test_killed_in_the_middle_it_goes_on_where_it_was() -> None:
    alice = User.objects.create(username="alice")
    texts = [f"k{number:03} text" for number in range(400)]
    put(alice, *texts)
    environment = os.environ | {
        "MEMORYSERVER_EMBEDDING_SERVICE": "tests.memoryserver.vectors.plane.Slow",
        "DATABASE_URL": "",
        "TEST_DATABASE": str(connection.settings_dict["NAME"]),
    }
    command = [sys.executable, "-c", _RUN]
    running = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while NextEmbedding.objects.count() < 128 and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.communicate()

    gathered = NextEmbedding.objects.count()
    assert 128 <= gathered < 400
    assert vectors() == made_by(Digest(), *texts)  # searches and writes know nothing of it
    put(alice, "k000 text of now", "k999 text")

    finished = subprocess.run(
        command, cwd=ROOT, env=environment | {"TEST_SLOW_SECONDS": "0"}, capture_output=True, text=True, check=True
    )

    assert finished.stdout.startswith(f"{401 - gathered + 1} texts embedded; ")
    assert vectors() == made_by(Other(), "k000 text of now", *texts[1:], "k999 text")


_RUN = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "memoryserver.settings"
from django.conf import settings
settings.DATABASES["default"]["NAME"] = os.environ["TEST_DATABASE"]
import django
django.setup()
from django.core.management import call_command
call_command("reembed")
"""
