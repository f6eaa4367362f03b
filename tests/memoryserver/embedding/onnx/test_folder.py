"""What a model's folder says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memoryserver.embedding.base import EmbeddingModelError
from memoryserver.embedding.bundled import bundled_folder
from memoryserver.embedding.onnx.folder import read


def write(folder: Path, **files: Any) -> Path:
    for name, value in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value))
    return folder


def modules(*kinds: str) -> list[dict[str, str]]:
    paths = {"Transformer": "", "Pooling": "pooling"}
    return [{"type": f"sentence_transformers.models.{kind}", "path": paths.get(kind, kind)} for kind in kinds]


def test_bundled_model_is_a_mean_of_at_most_256_tokens() -> None:
    model = read(bundled_folder())

    assert (model.pooling, model.max_tokens, model.prompt, model.graph) == ("mean", 256, "", None)
    assert model.weights.is_file()
    assert model.tokenizer.is_file()


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
        ({"pooling_mode": ["mean"]}, "mean"),
        ({}, "mean"),
    ],
)
def test_pooling_is_read_in_the_form_of_old_and_new_versions(
    config: dict[str, Any], pooling: str, tmp_path: Path
) -> None:
    write(tmp_path, config={}, modules=modules("Transformer", "Pooling"), pooling__config=config)

    assert read(tmp_path).pooling == pooling


def test_folder_of_a_plain_transformer_is_pooled_by_the_mean(tmp_path: Path) -> None:
    assert read(write(tmp_path, config={})).pooling == "mean"


@pytest.mark.parametrize(
    ("files", "tokens"),
    [
        ({"sentence_bert_config": {"max_seq_length": 128}}, 128),
        ({"sentence_bert_config": {"max_seq_length": 9000}, "config": {"max_position_embeddings": 512}}, 512),
        ({"sentence_bert_config": {"max_seq_length": None}, "tokenizer_config": {"model_max_length": 300}}, 300),
        ({}, 512),
    ],
)
def test_text_is_cut_at_the_smallest_limit(files: dict[str, Any], tokens: int, tmp_path: Path) -> None:
    assert read(write(tmp_path, **{"config": {}, **files})).max_tokens == tokens


def test_graph_in_either_place_is_used(tmp_path: Path) -> None:
    write(tmp_path, config={})
    (tmp_path / "model.onnx").touch()
    beside = read(tmp_path).graph
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").touch()

    assert (beside, read(tmp_path).graph) == (tmp_path / "model.onnx", tmp_path / "onnx" / "model.onnx")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "it has no config.json"),
        ({"config": {}, "modules": modules("Transformer", "Dense")}, "the module Dense, which needs sentence-transf"),
        (
            {"config": {}, "modules": modules("Transformer", "Pooling"), "pooling__config": {"pooling_mode": "max"}},
            "it pools by max, which needs sentence-transformers",
        ),
    ],
)
def test_folder_that_cannot_be_run_is_an_error_that_says_why(
    files: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(EmbeddingModelError, match=message):
        read(write(tmp_path, **files))


def test_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")

    with pytest.raises(EmbeddingModelError, match=r"config.json cannot be read"):
        read(tmp_path)
