"""The bundled model by ONNX Runtime, beside the same by sentence-transformers."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memoryserver.embedding import EmbeddingModelError
from memoryserver.embedding.bundled import BUNDLED_MODEL, bundled_folder
from memoryserver.embedding.onnx.service import OnnxService
from memoryserver.embedding.sentence_transformer import SentenceTransformerService

DOCS = Path(__file__).resolve().parents[4] / "docs"


@pytest.fixture(scope="module")
def onnx() -> OnnxService:
    return OnnxService(BUNDLED_MODEL, int8=False)


def cosines(left: list[list[float]], right: list[list[float]]) -> list[float]:
    return [sum(a * b for a, b in zip(*pair, strict=True)) for pair in zip(left, right, strict=True)]


def sentences() -> list[str]:
    """60 texts of the documents, a word to some hundred long."""
    paragraphs = "\n\n".join(path.read_text() for path in sorted(DOCS.glob("*.md"))).split("\n\n")
    random.Random(1).shuffle(paragraphs)
    parts = itertools.chain.from_iterable(re.split(r"(?<=[.:]) ", text) for text in paragraphs)
    return [*itertools.islice(parts, 45), *paragraphs[:15]]


def test_vectors_are_those_of_sentence_transformers(onnx: OnnxService, real_model: SentenceTransformerService) -> None:
    texts = sentences()

    assert len(texts) == 60
    assert min(cosines(onnx.embed_batch(texts), real_model.embed_batch(texts))) > 0.9999


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\t ",
        "ü Straße ＡＢＣ",
        "日本語のテキスト",
        "\U0001f600 \u200b",
        "x" * 5000,
        "a\x00b",
        "[SEP] [MASK]",
    ],
    ids=["empty", "space", "white space", "accents", "japanese", "emoji", "one long word", "NUL", "special tokens"],
)
def test_odd_text_has_the_vector_that_sentence_transformers_gives(
    text: str, onnx: OnnxService, real_model: SentenceTransformerService
) -> None:
    assert cosines([onnx.embed(text)], [real_model.embed(text)])[0] > 0.9999


def test_long_text_is_cut_at_the_same_token(onnx: OnnxService, real_model: SentenceTransformerService) -> None:
    words = [f"{word} {number}" for number in range(100) for word in ("lock", "backup", "queue", "vector", "index")]
    shorter = " ".join([*words[:126], "lock", "banana"])  # two tokens each, two at the ends: the last is the 256th

    whole, cut, read_to_its_end = onnx.embed_batch([" ".join(words * 4), " ".join(words[:127]), shorter])

    assert len(words * 4) == 2000
    assert cosines([whole], [real_model.embed(" ".join(words * 4))])[0] > 0.9999
    assert cosines([whole], [cut])[0] > 0.999999
    assert cosines([whole], [read_to_its_end])[0] < 0.9999


def test_batch_of_mixed_lengths_gives_what_one_by_one_gives(onnx: OnnxService) -> None:
    texts = ["word " * (count * 37 % 400) for count in range(24)]

    assert min(cosines(onnx.embed_batch(texts), [onnx.embed(text) for text in texts])) > 0.99999


def test_int8_is_close_and_not_the_same(onnx: OnnxService) -> None:
    texts = sentences()

    close = cosines(onnx.embed_batch(texts), OnnxService(BUNDLED_MODEL, int8=True).embed_batch(texts))

    assert min(close) > 0.95
    assert sum(close) / len(close) > 0.99
    assert max(close) < 0.9999


def test_name_of_the_hub_is_an_error_that_says_what_it_needs() -> None:
    with pytest.raises(
        EmbeddingModelError,
        match=r"'BAAI/bge' cannot be loaded \(there is no such folder, and a name of the hub needs sentence-transf",
    ):
        OnnxService("BAAI/bge").load()


def test_folder_has_the_same_vectors_as_the_bundled_model(onnx: OnnxService) -> None:
    assert cosines([OnnxService(str(bundled_folder())).embed("a lock")], [onnx.embed("a lock")])[0] > 0.999999


def test_without_either_library_it_says_what_to_install() -> None:
    script = (
        "import sys, django; sys.modules['onnxruntime'] = None; django.setup()\n"
        "from memoryserver.embedding.base import EmbeddingModelError\n"
        "from memoryserver.embedding.onnx.service import OnnxService\n"
        "try: OnnxService().load()\n"
        "except EmbeddingModelError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.startswith(
        "no model can be loaded, since neither sentence-transformers nor ONNX Runtime is installed (import of onnx"
    )
    assert done.stdout.endswith("run: pip install 'memoryserver[light]'\n")
