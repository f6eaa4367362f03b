"""Which class embeds, by the environment and by what is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Literal

from django.core.exceptions import ImproperlyConfigured

from memoryserver.embedding.bundled import BUNDLED_MODEL
from memoryserver.embedding.shared.address import VARIABLE
from memoryserver.environment import env

ENDPOINT = "memoryserver.embedding.openai_compatible.OpenAICompatibleService"
ONNX = "memoryserver.embedding.onnx.service.OnnxService"
SHARED = "memoryserver.embedding.shared.client.SharedService"
SENTENCE_TRANSFORMERS = "memoryserver.embedding.sentence_transformer.SentenceTransformerService"

Precision = Literal["float32", "int8"]

_RUNTIMES = {"sentence-transformers": SENTENCE_TRANSFORMERS, "onnx": ONNX}


def service_path() -> str:
    """Return the dotted path of the class of the embedding service.

    It is the path in MEMORYSERVER_EMBEDDING_SERVICE, if it is one; else that of an OpenAI-compatible endpoint if a URL
    is set and no runtime; else that of the embedding process if its socket is set; else `runtime()`. Raises
    ImproperlyConfigured for a word that is not known.
    """
    configured = _configured()
    if "." in configured:
        return configured
    if not configured and env.str("MEMORYSERVER_EMBEDDING_URL", default=""):
        return ENDPOINT
    return SHARED if socket() else runtime()


def socket() -> str:
    """Return the path of the embedding process' socket, "" if this process is to use none."""
    path: str = env.str(VARIABLE, default="")
    return path


def can_be_shared() -> bool:
    """Return whether an embedding process may serve: the server runs a model itself, by a class of its own."""
    return "." not in _configured() and (bool(_configured()) or not env.str("MEMORYSERVER_EMBEDDING_URL", default=""))


def runtime() -> str:
    """Return the class that runs a model in this process: the configured one.

    By default it is sentence-transformers if installed, else ONNX Runtime. Where neither is installed the class raises
    an error that says so when its model is loaded.
    """
    configured = _RUNTIMES.get(_configured())
    return configured or (SENTENCE_TRANSFORMERS if installed("sentence_transformers", "torch") else ONNX)


def runtimes(model_name: str) -> list[str]:
    """Return the classes to try, in this order, in the embedding process: the configured one, or all that may do.

    ONNX Runtime is the first, since it needs a third of the memory and of the time, but it does not know all models.
    """
    if _configured() in _RUNTIMES:
        return [_RUNTIMES[_configured()]]
    local = model_name == BUNDLED_MODEL or Path(model_name).is_dir()
    onnx = [ONNX] if local and installed("onnxruntime", "tokenizers") else []
    return list(dict.fromkeys([*onnx, runtime()]))


def _configured() -> str:
    """Return MEMORYSERVER_EMBEDDING_SERVICE: a dotted path, a name in _RUNTIMES, or "" if it is not set."""
    configured: str = env.str("MEMORYSERVER_EMBEDDING_SERVICE", default="")
    if configured and "." not in configured and configured not in _RUNTIMES:
        names = ", ".join(_RUNTIMES)
        raise ImproperlyConfigured(
            f"MEMORYSERVER_EMBEDDING_SERVICE must be {names} or the dotted path of a class, not {configured[:40]!r}"
        )
    return configured


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
