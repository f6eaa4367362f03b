"""Keyed digests of secrets."""

from __future__ import annotations

from memoryserver.accounts.digests import digest, digests


def test_digest_depends_on_the_secret_and_on_the_key(settings) -> None:
    settings.SECRET_KEY = "one key, made for this test"
    first = digest("invitation:a")
    settings.SECRET_KEY = "another key, made for this test"

    assert len({first, digest("invitation:a"), digest("device:a")}) == 3
    assert len(first) == 64


def test_secret_is_found_by_the_digests_of_former_keys_too(settings) -> None:
    settings.SECRET_KEY = "one key, made for this test"
    stored = digest("a")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key, made for this test", [settings.SECRET_KEY]

    assert digests("a") == (digest("a"), stored)
