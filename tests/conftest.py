"""The cast and the tools of every test."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User
from memoryserver.embedding.bundled import BUNDLED_MODEL
from memoryserver.embedding.onnx.service import OnnxService
from memoryserver.search.query_embedding import embedder
from memoryserver.statements.cache import Cache
from tests.support.database.emptying import Emptying
from tests.support.database.migrated import Migrated, has_tests_database, use_as_template
from tests.support.examples import use_profile
from tests.support.rows.factories import ProjectFactory, TeamFactory, UserFactory
from trajectory import assess
from trajectory.local.engine import time_limit

_SLOW = ("tests/e2e/", "tests/memoryserver/ops/", "tests/deploy/", "tests/test_every", "tests/test_release")


def pytest_configure() -> None:
    """Spare what each user and client would cost, and allow observers the time of a busy machine.

    There are thousands of them. WhiteNoise opens every static file for each client of Django's, which took longer than
    most requests, unless it looks for a file when that is asked for.
    """
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.WHITENOISE_AUTOREFRESH = True
    time_limit.BUDGET_SECONDS = assess.SECONDS_AT_ONCE = 30.0
    use_profile()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that start servers first, so that none is left to one worker when the other has ended."""
    items.sort(key=lambda item: not item.nodeid.startswith(_SLOW))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Let the tests of some folders go to one worker."""
    if config.getoption("dist") != "loadfile":
        return None
    from tests.support.scheduling import Scheduling

    return Scheduling(config, log)


def pytest_collection_finish() -> None:
    """Let the garbage collector work again, on what the tests make: `tests.postgres` has turned it off."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, django_db_blocker: Any) -> None:
    """Have the tests' database copied from a migrated one."""
    with django_db_blocker.unblock():
        use_as_template()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Have the database emptied in a quick way after each test that commits."""
    if has_tests_database():
        with django_db_blocker.unblock():
            Emptying().install()


@pytest.fixture(scope="session")
def migrated(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Migrated:
    """Copies of an empty database with the schema."""
    base = tmp_path_factory.getbasetemp()
    return Migrated(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """No test finds in the process what the last one left there.

    Those are rows of a database that was emptied, whose keys may name other rows now, the vectors of its questions, and
    the pause after its embedder failed.
    """
    Cache.clear_all()
    embedder.forget()


@pytest.fixture
def alice(db: None) -> User:
    """Owns what is asked about, and leads the team."""
    return UserFactory(username="alice")


@pytest.fixture
def bob(alice: User) -> User:
    """A team mate of Alice's."""
    bob = UserFactory(username="bob")
    TeamFactory(name="crew", people=[alice, bob])
    return bob


@pytest.fixture
def charlie(db: None) -> User:
    """A stranger: signed in, but of no team of theirs."""
    return UserFactory(username="charlie")


@pytest.fixture
def shared_project(alice: User, bob: User) -> Project:
    """A project of the team that Alice leads and Bob is in."""
    return ProjectFactory(key="github.com/crew/shop", team=alice.teams.get())


@pytest.fixture
def api() -> Callable[[User | None], Client]:
    """`api(user)` is a client with a token of `user`'s; `api(None)` has none."""

    def as_user(user: User | None) -> Client:
        if user is None:
            return Client()
        _, text = tokens.issue(user, "test")
        return Client(headers={"authorization": f"Bearer {text}"})

    return as_user


@pytest.fixture(scope="session")
def real_model() -> OnnxService:
    """The model that the server embeds with; torch takes eleven seconds to load it, ONNX Runtime half a one."""
    model = OnnxService(BUNDLED_MODEL, int8=False)
    model.load()
    return model
