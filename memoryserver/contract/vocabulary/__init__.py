"""What each field and parameter of the API means, with an example, by its name; `Schema.name` where one differs.

There is a module for each app's own words, and one for those that several apps use. A field that is described where it
is declared keeps its own description and gets the example alone. An example of None is made of the field's own fields.
"""

from __future__ import annotations

from typing import Any

from memoryserver.contract.vocabulary import accounts, capture, ghap, obslog, search, shared, trajectory

MODULES = (shared, accounts, capture, ghap, obslog, search, trajectory)

FIELDS: dict[str, tuple[str, Any]] = {word: meaning for module in MODULES for word, meaning in module.FIELDS.items()}
