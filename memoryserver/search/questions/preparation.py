"""What a search asks of the database before it ranks: one statement, while the query is embedded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memoryserver.search import plan
from memoryserver.search.questions import speakers
from memoryserver.search.sources import with_turns
from memoryserver.vectors.models import Collection
from memoryserver.vectors.terms import terms

_COLLECTIONS = f"""
    SELECT json_agg(json_build_array(name, model, dimension, indexed_at IS NOT NULL) ORDER BY name)
    FROM {Collection._meta.db_table} WHERE name = ANY(%(collections)s)
"""  # noqa: S608  (the name of a table)
_HEADS = f"SELECT json_agg(json_build_array(name, head)) FROM ({speakers.HEADS}) AS heads"  # noqa: S608  (a constant)
_ALL = f"{plan.FACTS}, ({plan.CORPUS}), ({_COLLECTIONS}), ({_HEADS})"


class SearchedCollection(NamedTuple):
    """A collection, the model of its vectors with their length, and whether it has an approximate index."""

    name: str
    model: str
    dimension: int
    is_indexed: bool


@dataclass(frozen=True)
class Preparation:
    """The facts for the ranking, the collections that exist, and for `speakers.speaking` the heads by name."""

    facts: plan.Facts
    collections: Sequence[SearchedCollection]
    heads: Mapping[str, Sequence[str]]


def prepare(
    scope: plan.Scope, query: str, collections: Sequence[str], names: Sequence[str], *, by_words: bool
) -> Preparation:
    """Return what is to be known for a search of `collections`; `names` are those that may be speakers.

    If it is also by words, the records in scope are counted, where these are few: that takes as long as all else here.
    """
    parameters = plan.facts_parameters(collections, terms(query).split())
    parameters |= {
        "counted": by_words,
        "collections": list(collections),
        **speakers.parameters(names, with_turns(collections)),
    }
    ((*facts, corpus, known, named),) = scope.rows(_ALL, prepared=True, **parameters)
    heads = defaultdict(list)
    for name, head in named or ():
        heads[name].append(head)
    searched = [SearchedCollection(*values) for values in known or ()]
    counted = None if corpus is None else (int(corpus[0]), corpus[1])
    return Preparation(replace(plan.facts_of(collections, facts), corpus=counted), searched, heads)
