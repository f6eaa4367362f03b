"""Somebody else at work on the log, with a connection and a transaction of their own."""

from __future__ import annotations

import threading
from queue import Queue
from typing import Any

from django.db import connection, transaction

from memoryserver.accounts.models import User
from obslog import log
from tests.support.rows.observations import new


class Other:
    """Does what they are told, and commits when told to."""

    def __init__(self) -> None:
        self._orders: Queue[Any] = Queue()
        self._done: Queue[Any] = Queue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def append(self, user: User, *messages: str) -> None:
        self._tell(lambda: log.append_all(user, [new(message=message) for message in messages]))

    def sql(self, statement: str) -> None:
        def run() -> None:
            with connection.cursor() as cursor:
                cursor.execute(statement)

        self._tell(run)

    def commit(self) -> None:
        self._tell(transaction.commit)
        self._tell(lambda: transaction.set_autocommit(False))

    def roll_back(self) -> None:
        self._tell(transaction.rollback)

    def leave(self) -> None:
        self._orders.put(None)
        self._thread.join()

    def _tell(self, what: Any) -> None:
        self._orders.put(what)
        error = self._done.get(timeout=30)
        if error is not None:
            raise error

    def _work(self) -> None:
        transaction.set_autocommit(False)
        while (what := self._orders.get()) is not None:
            try:
                what()
            except Exception as error:  # noqa: BLE001  (told to the test)
                self._done.put(error)
            else:
                self._done.put(None)
        transaction.rollback()
        connection.close()


class Follower:
    """Asks again and again, with the cursor of the last answer."""

    def __init__(self, user: User, **options: Any) -> None:
        self._user, self._options = user, options
        self.cursor: str | None = None
        self.more = False

    def __call__(self) -> list[str]:
        page = log.find_many(self._user, cursor=self.cursor, **self._options)
        self.cursor, self.more = page.cursor, page.more
        return [row.message for row in page.observations]

    def until_nothing_is_new(self) -> list[str]:
        found = new_ones = self()
        while new_ones or self.more:
            new_ones = self()
            found = found + new_ones
        return found
