"""Which class embeds, by the environment and by what is installed."""

from __future__ import annotations

import importlib.util
from typing import Literal

from django.core.exceptions import ImproperlyConfigured

from memoryserver.environment import env

ENDPOINT = "memoryserver.embedding.openai_compatible.OpenAICompatibleService"
ONNX = "memoryserver.embedding.onnx.service.OnnxService"
SENTENCE_TRANSFORMERS = "memoryserver.embedding.sentence_transformer.SentenceTransformerService"

Precision = Literal["float32", "int8"]

_RUNTIMES = {"sentence-transformers": SENTENCE_TRANSFORMERS, "onnx": ONNX}


def service_path() -> str:
    """Return the dotted path of the class of the embedding service.

    It is that of MEMORYSERVER_EMBEDDING_SERVICE, a path or a name in _RUNTIMES; else that of an OpenAI-compatible
    endpoint if a URL is set; else `runtime()`. Raises ImproperlyConfigured for another word.
    """
    configured: str = env.str("MEMORYSERVER_EMBEDDING_SERVICE", default="")
    if "." in configured:
        return configured
    if configured:
        try:
            return _RUNTIMES[configured]
        except KeyError:
            names = ", ".join(_RUNTIMES)
            raise ImproperlyConfigured(
                f"MEMORYSERVER_EMBEDDING_SERVICE must be {names} or the dotted path of a class, not {configured[:40]!r}"
            ) from None
    return ENDPOINT if env.str("MEMORYSERVER_EMBEDDING_URL", default="") else runtime()


def runtime() -> str:
    """Return the class that runs a model in this process: by sentence-transformers if installed, else by ONNX Runtime.

    Where neither is installed the class raises an error that says so when its model is loaded.
    """
    return SENTENCE_TRANSFORMERS if installed("sentence_transformers", "torch") else ONNX


def installed(*packages: str) -> bool:
    """Return whether all of the packages can be imported; does not import them."""
    return all(importlib.util.find_spec(package) is not None for package in packages)


def precision() -> Precision:
    """Return MEMORYSERVER_EMBEDDING_PRECISION. Raises ImproperlyConfigured for a value that is not known."""
    configured = env.str("MEMORYSERVER_EMBEDDING_PRECISION", default="float32")
    if configured == "float32":
        return "float32"
    if configured == "int8":
        return "int8"
    raise ImproperlyConfigured(f"MEMORYSERVER_EMBEDDING_PRECISION must be float32 or int8, not {configured[:40]!r}")
