"""The device flow: one token for one decision, and nothing for anybody else."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from memoryserver.access import device
from memoryserver.access.device import DeviceError, NoGrantError, Started
from memoryserver.access.models import DeviceGrant
from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User


@pytest.fixture
def started(db: None) -> Started:
    return device.start(["ingest", "read"], client_name="ada's laptop", client="memory/0.1.0", address="192.0.2.7")


def error_of(device_code: str) -> str:
    with pytest.raises(DeviceError) as caught:
        device.poll(device_code)
    return caught.value.error


def test_codes_are_of_their_form_and_the_device_code_is_not_stored(started: Started) -> None:
    assert re.fullmatch(r"[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}", started.user_code)
    assert re.fullmatch(r"[0-9a-f]{64}", started.device_code)
    assert started.device_code not in str(DeviceGrant.objects.values().get())


def test_allowed_request_gives_a_token_of_the_person_with_its_name_and_scopes_once(
    alice: User, started: Started
) -> None:
    assert error_of(started.device_code) == "authorization_pending"
    device.decide(alice, started.user_code, allow=True)

    user, text, scopes = device.poll(started.device_code)

    token = tokens.authenticate(text)
    assert token is not None
    assert (user, token.user, token.name, token.scopes) == (alice, alice, "ada's laptop", scopes)
    assert error_of(started.device_code) == "invalid_grant"


def test_request_goes_on_after_a_change_of_the_secret_key_with_the_former_one_as_fallback(
    alice: User, started: Started, settings
) -> None:
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another key, made for this test"

    assert error_of(started.device_code) == "authorization_pending"


def test_denied_request_gives_no_token(alice: User, started: Started) -> None:
    device.decide(alice, started.user_code, allow=False)

    assert error_of(started.device_code) == "access_denied"
    assert not ApiToken.objects.exists()


def test_expired_request_can_neither_be_allowed_nor_polled(alice: User, started: Started) -> None:
    DeviceGrant.objects.update(expires_at=timezone.now())

    assert error_of(started.device_code) == "expired_token"
    with pytest.raises(NoGrantError):
        device.decide(alice, started.user_code, allow=True)


def test_unknown_device_code_is_invalid(db: None) -> None:
    assert error_of("0" * 64) == "invalid_grant"


@pytest.mark.parametrize("form", ["{}", " {} ", "lower", "no dash"])
def test_user_code_is_found_however_it_is_typed(started: Started, form: str) -> None:
    code = started.user_code
    typed = {"lower": code.lower(), "no dash": code.replace("-", "")}.get(form, form.format(code))

    assert device.waiting(typed).user_code == code


@pytest.mark.parametrize("code", ["", "BCDF-GHJ", "AEIO-UAEI", "-"])
def test_code_that_is_none_finds_nothing(started: Started, code: str) -> None:
    with pytest.raises(NoGrantError):
        device.waiting(code)


def test_request_is_decided_once(alice: User, charlie: User, started: Started) -> None:
    device.decide(alice, started.user_code, allow=False)

    with pytest.raises(NoGrantError):
        device.decide(charlie, started.user_code, allow=True)


def test_user_who_is_deactivated_after_allowing_gets_no_token(alice: User, started: Started) -> None:
    device.decide(alice, started.user_code, allow=True)
    User.objects.update(is_active=False)

    assert error_of(started.device_code) == "authorization_pending"


def test_polling_too_soon_slows_down_by_five_seconds_each_time(started: Started) -> None:
    device.record_poll(started.device_code)
    for seconds in (10, 15):
        with pytest.raises(DeviceError, match=f"^poll every {seconds} seconds at most$") as caught:
            device.record_poll(started.device_code)
        assert caught.value.error == "slow_down"


def test_polling_at_the_interval_does_not_slow_down(started: Started) -> None:
    device.record_poll(started.device_code)
    DeviceGrant.objects.update(polled_at=timezone.now() - timedelta(seconds=device.INTERVAL))

    device.record_poll(started.device_code)

    assert DeviceGrant.objects.get().interval == device.INTERVAL


def test_name_of_the_client_is_cleaned_and_shortened(db: None) -> None:
    device.start(["read"], client_name="a\0b\n" + "x" * 300, client="c\n" * 100, address=None)

    grant = DeviceGrant.objects.get()
    assert (len(grant.client_name), "\n" in grant.client_name + grant.client, len(grant.client)) == (100, False, 60)


def test_old_requests_are_deleted_with_the_next(started: Started) -> None:
    DeviceGrant.objects.update(expires_at=timezone.now() - timedelta(days=2))
    device.start(["read"], client_name="", client="", address=None)

    assert DeviceGrant.objects.get().client_name == "a laptop"


def test_polls_at_once_give_the_token_out_once(transactional_db: None) -> None:
    alice = User.objects.create_user("alice")
    started = device.start(["read"], client_name="laptop", client="", address=None)
    device.decide(alice, started.user_code, allow=True)

    def poll(_: int) -> str:
        try:
            return device.poll(started.device_code)[0].username
        except DeviceError as error:
            return error.error
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(poll, range(6))) == ["alice", *["invalid_grant"] * 5]
    assert ApiToken.objects.count() == 1
