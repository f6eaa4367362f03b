"""Reading safetensors, beside the library of that name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from memoryserver.embedding.base import EmbeddingModelError
from memoryserver.embedding.onnx.weights import Weights


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    tensors: dict[str, np.ndarray] = {
        "whole": np.arange(6, dtype=np.float32).reshape(2, 3),
        "half": np.array([0.5, -2.0], np.float16),
        "ids": np.arange(4, dtype=np.int64),
    }
    save_file(tensors, path, {"format": "pt"})
    return path


def test_tensors_have_the_numbers_that_were_written(path: Path) -> None:
    weights = Weights(path)

    assert weights["whole"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert weights["half"].tolist() == [0.5, -2.0]
    assert weights["half"].dtype == np.float32
    assert ("whole" in weights, "other" in weights, "__metadata__" in weights) == (True, False, False)


def test_tensor_is_a_view_of_the_file(path: Path) -> None:
    tensor = Weights(path)["whole"]

    assert not tensor.flags.owndata
    assert not tensor.flags.writeable


@pytest.mark.parametrize("name", ["other", "ids"])
def test_tensor_that_is_missing_or_of_another_type_is_named(name: str, path: Path) -> None:
    with pytest.raises(EmbeddingModelError, match=rf"model.safetensors have no tensor '{name}' of a type"):
        Weights(path)[name]


@pytest.mark.parametrize(
    ("kept", "message"), [(5, "its header is cut off"), (40, "its header is cut off"), (-9, "it is cut off: ")]
)
def test_file_that_is_cut_off_is_an_error(kept: int, message: str, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:kept])

    with pytest.raises(EmbeddingModelError, match=f"cannot be read \\({message}"):
        Weights(path)


def test_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingModelError, match="nothing cannot be read"):
        Weights(tmp_path / "nothing")
