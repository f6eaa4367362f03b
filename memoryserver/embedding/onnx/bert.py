"""The graph of a BERT encoder (also RoBERTa's form of it), built from a model's configuration and weights.

Each layer is: attention, a dense layer, their sum with the input normalised, and the same of a feed-forward network.
The operators of the domain com.microsoft are ONNX Runtime's own, which do several of these steps at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from memoryserver.embedding.base import EmbeddingModelError
from memoryserver.embedding.onnx import wire
from memoryserver.embedding.onnx.weights import Array, Weights

IDS, MASK, HIDDEN = "input_ids", "attention_mask", "last_hidden_state"
"""Inputs and output of the graph: [texts, tokens], and [texts, tokens, numbers]."""

WORDS = "words"
"""A further input: the table of the words' vectors. A constant would be copied, though few of its rows are used."""

_TYPES = {"bert": 0, "roberta": 1, "xlm-roberta": 1}
"""Model types, and how many rows beyond that of padding the table of positions begins with."""

_PREFIXES = ("", "bert.", "roberta.", "model.")
_MICROSOFT = "com.microsoft"
_ELEMENT_TYPES = {np.dtype(np.float32): wire.FLOAT, np.dtype(np.uint8): wire.UINT8}


@dataclass
class Graph:
    """A graph that grows node by node; `tensors` are its constants."""

    tensors: dict[str, Array] = field(default_factory=dict)
    _nodes: list[bytes] = field(default_factory=list)

    def add(self, operator: str, *inputs: str, own: bool = True, outputs: int = 1, **attributes: float) -> list[str]:
        """Add a node and return the names of its outputs. `own` operators are ONNX Runtime's."""
        names = [f"{operator}_{len(self._nodes)}_{number}" for number in range(outputs)]
        self._nodes.append(wire.node(operator, inputs, names, _MICROSOFT if own else "", attributes))
        return names

    def constant(self, name: str, values: Array) -> str:
        """Add a constant and return its name."""
        self.tensors[name] = values if values.flags.c_contiguous else np.ascontiguousarray(values)
        return name

    def encoded(self, hidden: str, size: int) -> bytes:
        """Return the model in ONNX's format, with `hidden` as its output; its constants are not in it."""
        self._nodes.append(wire.node("Identity", [hidden], [HIDDEN], "", {}))
        tensors = [
            wire.external_tensor(name, _ELEMENT_TYPES[values.dtype], values.shape)
            for name, values in self.tensors.items()
        ]
        inputs = [wire.value(name, wire.INT32, ["texts", "tokens"]) for name in (IDS, MASK)]
        inputs.append(wire.value(WORDS, wire.FLOAT, ["words", size]))
        return wire.model(self._nodes, tensors, inputs, [wire.value(HIDDEN, wire.FLOAT, ["texts", "tokens", size])])


@dataclass(frozen=True)
class _Layers:
    """The weights of a model by their names in the layers, and the numbers of its configuration."""

    weights: Weights
    prefix: str
    heads: int
    epsilon: float

    def dense(self, *names: str) -> Array:
        """Return the transposed weights of linear layers side by side."""
        return np.concatenate([self.weights[f"{self.prefix}{name}.weight"] for name in names]).T

    def biases(self, *names: str) -> Array:
        return np.concatenate([self.weights[f"{self.prefix}{name}.bias"] for name in names])

    def __getitem__(self, name: str) -> Array:
        return self.weights[self.prefix + name]


@dataclass(frozen=True)
class Bert:
    """A graph in ONNX's format, its constants by their names, and its input WORDS."""

    graph: bytes
    tensors: Mapping[str, Array]
    words: Array


def build(config: Mapping[str, Any], weights: Weights, *, int8: bool = False) -> Bert:
    """Return the graph of the model.

    With `int8` the weights of linear layers are whole numbers of eight bits, and so are their inputs, by a scale that
    each call finds for itself. Raises EmbeddingModelError if the model is of another kind.
    """
    layers, count = _read(config, weights)
    graph = Graph()
    hidden = _embeddings(graph, config, layers)
    for number in range(count):
        hidden = _layer(graph, layers, f"encoder.layer.{number}.", hidden, int8=int8)
    encoded = graph.encoded(hidden, int(config["hidden_size"]))
    return Bert(encoded, graph.tensors, layers["embeddings.word_embeddings.weight"])


def _read(config: Mapping[str, Any], weights: Weights) -> tuple[_Layers, int]:
    kind, activation = config.get("model_type"), config.get("hidden_act")
    if kind not in _TYPES or activation != "gelu" or config.get("position_embedding_type", "absolute") != "absolute":
        raise EmbeddingModelError(
            f"a model of type {kind!r} with the activation {activation!r} can be embedded with by ONNX Runtime only if "
            "its folder has the file onnx/model.onnx; or install sentence-transformers"
        )
    for prefix in _PREFIXES:
        if f"{prefix}embeddings.word_embeddings.weight" in weights:
            try:
                layers = _Layers(weights, prefix, int(config["num_attention_heads"]), float(config["layer_norm_eps"]))
                return layers, int(config["num_hidden_layers"])
            except (KeyError, TypeError, ValueError) as error:
                raise EmbeddingModelError(f"the model's config.json cannot be used ({error!r})") from error
    raise EmbeddingModelError("the model's weights have no embeddings.word_embeddings.weight")


def _embeddings(graph: Graph, config: Mapping[str, Any], layers: _Layers) -> str:
    padding_rows = _TYPES[config["model_type"]]
    first = padding_rows and int(config.get("pad_token_id", 1)) + padding_rows
    first_type = layers["embeddings.token_type_embeddings.weight"][0]
    positions = layers["embeddings.position_embeddings.weight"][first:] + first_type
    (hidden, _) = graph.add(
        "EmbedLayerNormalization",
        IDS,
        "",
        WORDS,
        graph.constant("positions", positions),
        "",
        *_normalisation(graph, layers, "embeddings."),
        outputs=2,
        epsilon=layers.epsilon,
    )
    return hidden


def _layer(graph: Graph, layers: _Layers, name: str, hidden: str, *, int8: bool) -> str:
    attention, output = f"{name}attention.", f"{name}output."
    parts = [f"{attention}self.{part}" for part in ("query", "key", "value")]
    projected = _dense(graph, layers.dense(*parts), f"{attention}self", hidden, int8=int8)
    split = graph.add("Split", projected, own=False, outputs=3, axis=2)
    bias = graph.constant(f"{attention}self.bias", layers.biases(*parts))
    (attended,) = graph.add("MultiHeadAttention", *split, bias, MASK, num_heads=layers.heads)
    attended = _dense(graph, layers.dense(f"{attention}output.dense"), f"{attention}output", attended, int8=int8)
    hidden = _sum_normalised(graph, layers, f"{attention}output.", attended, hidden)
    inner = _dense(graph, layers.dense(f"{name}intermediate.dense"), f"{name}intermediate", hidden, int8=int8)
    bias = graph.constant(f"{name}intermediate.bias", layers.biases(f"{name}intermediate.dense"))
    (inner,) = graph.add("BiasGelu", inner, bias)
    inner = _dense(graph, layers.dense(f"{output}dense"), output, inner, int8=int8)
    return _sum_normalised(graph, layers, output, inner, hidden)


def _dense(graph: Graph, weights: Array, name: str, hidden: str, *, int8: bool) -> str:
    """Multiply by `weights` ([inputs, outputs])."""
    if not int8:
        return graph.add("MatMul", hidden, graph.constant(f"{name}.weight", weights), own=False)[0]
    whole, scale, zero = quantised(weights)
    constants = {"whole": whole, "scale": scale, "zero": zero}
    names = [graph.constant(f"{name}.{part}", values) for part, values in constants.items()]
    return graph.add("DynamicQuantizeMatMul", hidden, *names)[0]


def quantised(weights: Array) -> tuple[Array, Array, Array]:
    """Return `weights` as (whole numbers, scales, zeros), the latter two for each column: (whole - zero) * scale.

    Unsigned, since sums of unsigned and signed numbers overflow 16 bits on processors without VNNI.
    """
    largest = np.abs(weights).max(axis=0)
    scale = np.where(largest == 0, 1, largest / 127).astype(np.float32)
    whole = np.clip(np.rint(weights / scale), -127, 127) + 128
    return whole.astype(np.uint8), scale, np.full(scale.shape, 128, np.uint8)


def _sum_normalised(graph: Graph, layers: _Layers, name: str, hidden: str, skipped: str) -> str:
    bias = graph.constant(f"{name}bias", layers.biases(f"{name}dense"))
    norm = _normalisation(graph, layers, name)
    return graph.add("SkipLayerNormalization", hidden, skipped, *norm, bias, epsilon=layers.epsilon)[0]


def _normalisation(graph: Graph, layers: _Layers, name: str) -> tuple[str, str]:
    return (
        graph.constant(f"{name}gamma", layers[f"{name}LayerNorm.weight"]),
        graph.constant(f"{name}beta", layers[f"{name}LayerNorm.bias"]),
    )
