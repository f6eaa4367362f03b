"""Forward passes of a batch, and folders of other models, beside sentence-transformers on the same folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memoryserver.embedding.base import EmbeddingModelError
from memoryserver.embedding.bundled import bundled_folder
from memoryserver.embedding.onnx import bert, wire
from memoryserver.embedding.onnx.encoder import Encoder
from memoryserver.embedding.tokens import MAX_TOKENS, similarities, unpacked

TEXTS = ["", "the lock", "a longer text about the backup " * 9, "why does the nightly export hang?"]

Folder = Callable[..., Path]


@pytest.fixture
def tiny(tmp_path: Path) -> Folder:
    """Make the folder of a small model with random weights, which has the bundled model's tokens."""

    def make(kind: str = "bert", pooling: str = "mean", prompt: str = "") -> Path:
        import torch
        from transformers import BertConfig, BertModel, XLMRobertaConfig, XLMRobertaModel

        torch.manual_seed(1)
        sizes: dict[str, Any] = {
            "vocab_size": 30522,
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "max_position_embeddings": 66,
            "initializer_range": 0.2,
        }
        if kind == "bert":
            BertModel(BertConfig(**sizes, pad_token_id=0)).save_pretrained(tmp_path)
        else:
            XLMRobertaModel(XLMRobertaConfig(**sizes, pad_token_id=0)).save_pretrained(tmp_path)
        for path in bundled_folder().rglob("*.json"):
            target = tmp_path / path.relative_to(bundled_folder())
            if target.name != "config.json" or target.parent.name == "1_Pooling":
                target.parent.mkdir(exist_ok=True)
                shutil.copy(path, target)
        pooled = {"pooling_mode_mean_tokens": pooling == "mean", "pooling_mode_cls_token": pooling == "cls"}
        edit(tmp_path / "1_Pooling" / "config.json", word_embedding_dimension=32, **pooled)
        edit(tmp_path / "sentence_bert_config.json", max_seq_length=60)
        edit(tmp_path / "config_sentence_transformers.json", prompts={"q": prompt}, default_prompt_name="q")
        return tmp_path

    return make


def edit(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def vectors_by_sentence_transformers(folder: Path) -> list[list[float]]:
    from sentence_transformers import SentenceTransformer

    vectors: list[list[float]] = (
        SentenceTransformer(str(folder), device="cpu")
        .encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
        .tolist()
    )
    return vectors


@pytest.mark.parametrize(
    ("kind", "pooling", "prompt"),
    [("bert", "mean", ""), ("bert", "cls", ""), ("bert", "mean", "query: "), ("xlm-roberta", "mean", "")],
)
def test_other_folder_has_the_vectors_of_sentence_transformers(
    kind: str, pooling: str, prompt: str, tiny: Folder
) -> None:
    folder = tiny(kind, pooling, prompt)

    vectors = Encoder(folder, int8=False).encode(TEXTS)

    for vector, expected in zip(vectors, vectors_by_sentence_transformers(folder), strict=True):
        assert vector == pytest.approx(expected, abs=1e-4)


def test_folder_with_a_graph_is_run_by_it(tiny: Folder) -> None:
    """The graph only looks up each token in a table; it has the inputs and the types that exported models have."""
    folder = tiny()
    table = np.random.default_rng(1).normal(size=(30522, 8)).astype(np.float32)
    write_graph(folder / "onnx" / "model.onnx", table)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    expected = [table[tokenizer.encode(text).ids].mean(axis=0) for text in TEXTS[:2]]

    vectors = Encoder(folder, int8=False).encode(TEXTS[:2])

    for vector, mean in zip(vectors, expected, strict=True):
        assert vector == pytest.approx((mean / np.linalg.norm(mean)).tolist(), abs=1e-5)
    with pytest.raises(EmbeddingModelError, match=r"model.onnx is not quantised here; set MEMORYSERVER_EMBEDDING_PREC"):
        Encoder(folder, int8=True)


def write_graph(path: Path, table: NDArray[Any]) -> None:
    """Have ONNX Runtime write the file, with the table in it."""
    names = (bert.IDS, bert.MASK, "token_type_ids")
    graph = wire.model(
        [wire.node("Gather", ["table", bert.IDS], [bert.HIDDEN], "", {"axis": 0})],
        [wire.external_tensor("table", wire.FLOAT, table.shape)],
        [wire.value(name, wire.INT64, ["texts", "tokens"]) for name in names],
        [wire.value(bert.HIDDEN, wire.FLOAT, ["texts", "tokens", table.shape[1]])],
    )
    path.parent.mkdir()
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(path)
    options.add_external_initializers(["table"], [onnxruntime.OrtValue.ortvalue_from_numpy(table)])
    onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("onnx/model.onnx", b"no graph", "ONNX Runtime does not take the model"),
        ("tokenizer.json", b"{}", "tokenizer.json cannot be read"),
        ("model.safetensors", b"\x10" + 9 * b"\0", "model.safetensors cannot be read"),
    ],
)
def test_damaged_file_is_an_error_that_names_it(name: str, content: bytes, message: str, tiny: Folder) -> None:
    path = tiny() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)

    with pytest.raises(EmbeddingModelError, match=message):
        Encoder(path.parents[name.count("/")], int8=False)


@pytest.mark.parametrize("text", ["why does the nightly export hang?", "a longer text about the backup " * 30])
def test_vector_is_the_mean_of_the_tokens_and_the_codes_are_their_signs(text: str) -> None:
    encoder = Encoder(bundled_folder(), int8=False)

    vector, other = encoder.encode([text, "another text of its own length"])
    rows = unpacked(vector.tokens, encoder.dimension)

    assert len(rows) == min(len(encoder._tokenizer.encode(text).ids), MAX_TOKENS)
    assert vector.codes == np.packbits(rows > 0, axis=1).tobytes()
    ((own, others),) = similarities([rows], [vector.codes, other.codes])
    assert own > others + 0.2


def test_passes_at_the_same_time_give_the_vectors_of_one_that_is_alone() -> None:
    encoder = Encoder(bundled_folder(), int8=False)
    texts = [f"the payment worker holds lock number {number}" for number in range(12)]
    alone = [encoder.encode([text]) for text in texts]

    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda text: encoder.encode([text]), texts))

    assert together == alone
