"""The graph and its constants; that it computes what it should is shown in test_encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from memoryserver.embedding.base import EmbeddingModelError
from memoryserver.embedding.onnx.bert import build, quantised
from memoryserver.embedding.onnx.weights import Weights

CONFIG = {"model_type": "bert", "hidden_act": "gelu", "num_attention_heads": 2, "layer_norm_eps": 1e-12}


@pytest.fixture
def weights(tmp_path: Path) -> Weights:
    save_file({"other": np.zeros(1, np.float32)}, tmp_path / "model.safetensors")
    return Weights(tmp_path / "model.safetensors")


@pytest.mark.parametrize(
    "config",
    [{"model_type": "mpnet"}, {"hidden_act": "relu"}, {"position_embedding_type": "relative_key"}],
    ids=["type", "activation", "positions"],
)
def test_model_of_another_kind_is_an_error_that_says_what_to_do(config: dict[str, Any], weights: Weights) -> None:
    with pytest.raises(EmbeddingModelError, match=r"only if its folder has the file onnx/model.onnx; or install"):
        build(CONFIG | config, weights)


def test_weights_of_another_model_are_an_error(weights: Weights) -> None:
    with pytest.raises(EmbeddingModelError, match=r"weights have no embeddings.word_embeddings.weight"):
        build(CONFIG, weights)


def test_quantised_weights_are_within_half_a_step_of_the_true_ones() -> None:
    weights = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32) * np.array([0.01, 1, 0], np.float32)

    whole, scale, zero = quantised(weights)

    assert (whole.dtype.name, zero.tolist()) == ("uint8", [128] * 3)
    assert np.abs((whole.astype(np.float32) - 128) * scale - weights).max(axis=0) == pytest.approx(
        np.zeros(3), abs=float(scale[1]) / 2 * 1.001
    )
    assert np.abs((whole[:, 0].astype(np.float32) - 128) * scale[0] - weights[:, 0]).max() <= scale[0] / 2 * 1.001
