from __future__ import annotations

from threading import Thread

from memoryserver.embedding import passes


def test_what_is_added_within_counts_inside_and_outside() -> None:
    with passes.measured() as outer:
        passes.add(1)
        with passes.measured() as inner:
            passes.add(2)
        passes.add(4)

    assert (inner.seconds, outer.seconds) == (2, 7)


def test_other_threads_and_what_comes_later_do_not_count() -> None:
    with passes.measured() as spent:
        thread = Thread(target=passes.add, args=[1])
        thread.start()
        thread.join()
    passes.add(1)

    assert spent.seconds == 0


def test_what_fails_counts_until_then() -> None:
    try:
        with passes.measured() as spent:
            passes.add(1)
            raise KeyError  # noqa: TRY301
    except KeyError:
        passes.add(1)

    assert spent.seconds == 1
