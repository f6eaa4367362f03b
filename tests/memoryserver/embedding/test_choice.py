"""Which class embeds."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from memoryserver.embedding import choice
from memoryserver.embedding.bundled import BUNDLED_MODEL


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SERVICE", "URL", "PRECISION", "SOCKET"):
        monkeypatch.delenv(f"MEMORYSERVER_EMBEDDING_{name}", raising=False)


def without(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """Have Python find none of `packages`."""
    find = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> Any:
        return None if name in packages else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)


@pytest.mark.parametrize(
    ("variables", "missing", "path"),
    [
        ({}, [], choice.SENTENCE_TRANSFORMERS),
        ({}, ["torch"], choice.ONNX),
        ({}, ["torch", "onnxruntime"], choice.ONNX),
        ({"URL": "http://127.0.0.1:9/v1"}, [], choice.ENDPOINT),
        ({"SERVICE": "onnx"}, [], choice.ONNX),
        ({"SERVICE": "onnx", "URL": "http://127.0.0.1:9/v1"}, [], choice.ONNX),
        ({"SOCKET": "/run/embedding.sock"}, [], choice.SHARED),
        ({"SOCKET": "/run/embedding.sock", "SERVICE": "onnx"}, [], choice.SHARED),
        ({"SOCKET": "/run/embedding.sock", "SERVICE": "some.other.Service"}, [], "some.other.Service"),
        ({"SOCKET": "/run/embedding.sock", "URL": "http://127.0.0.1:9/v1"}, [], choice.ENDPOINT),
        ({"SERVICE": "sentence-transformers"}, ["torch"], choice.SENTENCE_TRANSFORMERS),
        ({"SERVICE": "some.other.Service", "URL": "http://127.0.0.1:9/v1"}, [], "some.other.Service"),
    ],
)
def test_service_is_chosen_by_the_settings_and_what_is_installed(
    variables: dict[str, str], missing: list[str], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"MEMORYSERVER_EMBEDDING_{name}", value)
    without(monkeypatch, *missing)

    assert choice.service_path() == path


@pytest.mark.parametrize(
    ("service", "model", "missing", "paths"),
    [
        ("", BUNDLED_MODEL, [], [choice.ONNX, choice.SENTENCE_TRANSFORMERS]),
        ("", "/", [], [choice.ONNX, choice.SENTENCE_TRANSFORMERS]),
        ("", "BAAI/bge-small", [], [choice.SENTENCE_TRANSFORMERS]),
        ("", BUNDLED_MODEL, ["onnxruntime"], [choice.SENTENCE_TRANSFORMERS]),
        ("", BUNDLED_MODEL, ["torch"], [choice.ONNX]),
        ("sentence-transformers", BUNDLED_MODEL, [], [choice.SENTENCE_TRANSFORMERS]),
        ("onnx", BUNDLED_MODEL, [], [choice.ONNX]),
    ],
)
def test_embedding_process_prefers_onnx_runtime_where_it_knows_the_model(
    service: str, model: str, missing: list[str], paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_EMBEDDING_SERVICE", service)
    without(monkeypatch, *missing)

    assert choice.runtimes(model) == paths


@pytest.mark.parametrize(
    ("variables", "shared"),
    [
        ({}, True),
        ({"SERVICE": "onnx"}, True),
        ({"SERVICE": "some.other.Service"}, False),
        ({"URL": "http://127.0.0.1:9/v1"}, False),
    ],
)
def test_process_is_shared_where_the_server_runs_a_model(
    variables: dict[str, str], shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"MEMORYSERVER_EMBEDDING_{name}", value)

    assert choice.can_be_shared() is shared


@pytest.mark.parametrize("path", [choice.ENDPOINT, choice.ONNX, choice.SENTENCE_TRANSFORMERS])
def test_each_path_is_that_of_a_service(path: str) -> None:
    assert import_string(path)("a-model").embed_batch([]) == []


def test_other_word_is_refused_with_those_that_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_EMBEDDING_SERVICE", "torch")

    with pytest.raises(
        ImproperlyConfigured, match="must be sentence-transformers, onnx or the dotted path of a class, not 'torch'"
    ):
        choice.service_path()


@pytest.mark.parametrize(("value", "expected"), [(None, "float32"), ("float32", "float32"), ("int8", "int8")])
def test_precision_is_one_of_two(value: str | None, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is not None:
        monkeypatch.setenv("MEMORYSERVER_EMBEDDING_PRECISION", value)

    assert choice.precision() == expected


def test_other_precision_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_EMBEDDING_PRECISION", "int4")

    with pytest.raises(ImproperlyConfigured, match="must be float32 or int8, not 'int4'"):
        choice.precision()
