"""A loaded model: texts in, vectors out. Importing this module takes a sixth of a second."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from memoryserver.embedding import memory
from memoryserver.embedding.base import Embedding, EmbeddingModelError
from memoryserver.embedding.onnx import bert, folder
from memoryserver.embedding.onnx.weights import Weights
from memoryserver.embedding.tokens import embedding

_SLICE_TOKENS = 2048
"""Tokens of one forward pass, padding included: few enough to need little memory, enough to fill a core."""

_QUESTION_TOKENS = 128
"""Tokens of the longest pass that two threads share: a batch would take both cores from the questions that come."""

_ERRORS_ONLY = 3


class Encoder:
    """A model on this machine's processor; thread-safe.

    A question that is computed alone takes two threads: two thirds of the time of one, and a tenth more of the
    processors'. All other forward passes are computed by the thread that calls, those of a large batch by as many as
    there are cores.
    """

    def __init__(self, source: Path, *, int8: bool) -> None:
        """Load the model in the folder `source`. Raises EmbeddingModelError."""
        self._model = folder.read(source)
        self._tokenizer = _tokenizer(self._model)
        (self._session, self._pair), self._words = _sessions(self._model, int8=int8)
        self._passes = 0
        self._lock = threading.Lock()
        self._inputs = {value.name for value in self._session.get_inputs()}
        self._element_type = np.int32 if self._session.get_inputs()[0].type == "tensor(int32)" else np.int64
        self._threads = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="embedding")
        self.dimension = len(self.encode(["dimension"])[0])
        memory.release()

    def encode(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the vectors of `texts` in their order, of length 1, with their tokens'."""
        prepared = [self._model.prompt + text.strip() for text in texts]
        tokens = self._tokenizer.encode_batch(prepared)
        order = sorted(range(len(tokens)), key=lambda place: len(tokens[place].ids))
        slices = _slices(order, [len(encoding.ids) for encoding in tokens])
        passes = self._threads.map if len(slices) > 1 else map
        vectors: list[Embedding] = [Embedding([])] * len(texts)
        parts = passes(self._pass, [[tokens[place] for place in places] for places in slices])
        for places, part in zip(slices, parts, strict=True):
            for place, vector in zip(places, part, strict=True):
                vectors[place] = vector
        if len(slices) > 1:
            memory.release()
        return vectors

    def _pass(self, tokens: Sequence[Encoding]) -> list[Embedding]:
        output, mask = self._output(tokens)
        pooled = output[:, 0] if self._model.pooling == "cls" else _mean(output, mask)
        return [
            embedding(vector, _normalised(row[: len(encoding.ids)]))
            for vector, row, encoding in zip(_normalised(pooled).tolist(), output, tokens, strict=True)
        ]

    def _output(self, tokens: Sequence[Encoding]) -> tuple[NDArray[np.float32], NDArray[Any]]:
        """Return the vectors of all tokens of each text, and which of them are not padding."""
        shape = len(tokens), max(len(encoding.ids) for encoding in tokens)
        ids, mask = np.full(shape, self._padding, self._element_type), np.zeros(shape, self._element_type)
        for row, encoding in enumerate(tokens):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        inputs: dict[str, Any] = {
            bert.IDS: ids,
            bert.MASK: mask,
            "token_type_ids": np.zeros_like(ids),
            bert.WORDS: self._words,
        }
        with self._free_session(ids.size) as session:
            return session.run(None, {name: inputs[name] for name in self._inputs})[0], mask

    @contextlib.contextmanager
    def _free_session(self, size: int) -> Iterator[onnxruntime.InferenceSession]:
        """Yield the session of two threads if no other pass is computed, and this one, of `size` tokens, is short."""
        with self._lock:
            self._passes += 1
            is_alone = self._passes == 1
        try:
            yield self._pair if is_alone and size <= _QUESTION_TOKENS else self._session
        finally:
            with self._lock:
                self._passes -= 1

    @property
    def _padding(self) -> int:
        return int(self._model.config.get("pad_token_id") or 0)


def _normalised(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `vectors`, along the last axis, with length 1."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def _mean(output: NDArray[np.float32], mask: NDArray[Any]) -> NDArray[np.float32]:
    """Return the mean of each text's vectors, up to a factor."""
    return np.asarray(np.einsum("ts,tsh->th", mask.astype(np.float32), output), np.float32)


def _slices(order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Return `order`, which ascends by length, cut so that each part has at most _SLICE_TOKENS with its padding."""
    slices: list[list[int]] = []
    for place in order:
        if slices and (len(slices[-1]) + 1) * lengths[place] <= _SLICE_TOKENS:
            slices[-1].append(place)
        else:
            slices.append([place])
    return slices


def _tokenizer(model: folder.ModelFolder) -> Tokenizer:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads do not survive a fork
    try:
        tokenizer = Tokenizer.from_file(str(model.tokenizer))
    except Exception as error:  # the library raises this class itself
        raise EmbeddingModelError(f"{model.tokenizer} cannot be read ({error})") from error
    tokenizer.enable_truncation(model.max_tokens)
    tokenizer.no_padding()
    return tokenizer


def _sessions(model: folder.ModelFolder, *, int8: bool) -> tuple[list[onnxruntime.InferenceSession], Any]:
    """Return what runs the model by one thread and by two, and its input WORDS if the graph is built here."""
    if model.graph is not None:
        if int8:
            raise EmbeddingModelError(f"{model.graph} is not quantised here; set MEMORYSERVER_EMBEDDING_PRECISION back")
        return [_created(str(model.graph), _options(threads)) for threads in (1, 2)], None
    weights = Weights(model.weights)
    built = bert.build(model.config, weights, int8=int8)
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for tensor in built.tensors.values()]
    sessions = []
    for threads in (1, 2):
        options = _options(threads)
        options.add_external_initializers(list(built.tensors), values)
        sessions.append(_created(built.graph, options))
    weights.release()
    return sessions, built.words


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(threads, os.cpu_count() or 1)
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # on busy cores it doubles the work
    options.enable_cpu_mem_arena = False  # it would keep the memory of the largest pass
    options.log_severity_level = _ERRORS_ONLY
    return options


def _created(graph: str | bytes, options: onnxruntime.SessionOptions) -> onnxruntime.InferenceSession:
    try:
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common class of their own
        reason = " ".join(str(error).split())[:300]
        raise EmbeddingModelError(f"ONNX Runtime does not take the model: {reason}") from error
