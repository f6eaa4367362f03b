"""What a model's folder, in the layout of sentence-transformers, says about how its vectors are made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memoryserver.embedding.base import EmbeddingModelError

Pooling = Literal["mean", "cls"]

_KNOWN_MODULES = {"Transformer", "Pooling", "Normalize"}
_LONGEST = 512
_OLD_POOLING = "pooling_mode_"


@dataclass(frozen=True)
class ModelFolder:
    """The files of a model and how a text becomes a vector: cut at `max_tokens`, its tokens' vectors pooled."""

    tokenizer: Path
    config: Mapping[str, Any]
    graph: Path | None
    """The model in ONNX's format; without it the graph is built from `weights`."""
    weights: Path
    pooling: Pooling
    max_tokens: int
    prompt: str
    """What is put before each text."""


def read(folder: Path) -> ModelFolder:
    """Read the folder. Raises EmbeddingModelError if ONNX Runtime cannot embed with what is in it."""
    modules = _json(folder / "modules.json", [])
    kinds = {str(module.get("type", "")).rpartition(".")[2]: str(module.get("path", "")) for module in modules}
    unknown = sorted(kinds.keys() - _KNOWN_MODULES)
    if unknown:
        raise EmbeddingModelError(f"it has the module {unknown[0]}, which needs sentence-transformers")
    transformer = folder / kinds.get("Transformer", "")
    config = _json(transformer / "config.json")
    prompts = _json(folder / "config_sentence_transformers.json", {})
    graphs = [path for path in (folder / "onnx" / "model.onnx", folder / "model.onnx") if path.is_file()]
    return ModelFolder(
        tokenizer=transformer / "tokenizer.json",
        config=config,
        graph=graphs[0] if graphs else None,
        weights=transformer / "model.safetensors",
        pooling=_pooling(_json(folder / kinds["Pooling"] / "config.json") if "Pooling" in kinds else {}),
        max_tokens=_max_tokens(transformer, config),
        prompt=(prompts.get("prompts") or {}).get(prompts.get("default_prompt_name") or "", ""),
    )


def _json(path: Path, default: Any = None) -> Any:
    """Return what the file holds; if it is missing `default`, or an error if that is None."""
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        if default is not None:
            return default
        raise EmbeddingModelError(f"it has no {path.name}") from error
    except (OSError, ValueError) as error:
        raise EmbeddingModelError(f"{path} cannot be read ({error})") from error


def _pooling(config: Mapping[str, Any]) -> Pooling:
    mode = config.get("pooling_mode")
    if mode is None:  # of versions before 6
        names = {"cls_token": "cls", "mean_tokens": "mean"}
        used = [name.removeprefix(_OLD_POOLING) for name, value in config.items() if value and _OLD_POOLING in name]
        mode = [names.get(name, name) for name in used] or "mean"
    if isinstance(mode, list) and len(mode) == 1:
        (mode,) = mode
    if mode == "mean":
        return "mean"
    if mode == "cls":
        return "cls"
    raise EmbeddingModelError(f"it pools by {mode}, which needs sentence-transformers")


def _max_tokens(transformer: Path, config: Mapping[str, Any]) -> int:
    own = _json(transformer / "sentence_bert_config.json", {}).get("max_seq_length")
    tokenizer = _json(transformer / "tokenizer_config.json", {}).get("model_max_length")
    limits = [limit for limit in (own or tokenizer, config.get("max_position_embeddings")) if isinstance(limit, int)]
    return min(limits, default=_LONGEST)
