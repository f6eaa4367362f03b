"""Words of entries, strategies and clusters."""

from __future__ import annotations

from typing import Any

from memoryserver.contract.vocabulary.examples import TIME

_ENTRY = {
    "id": "ghap_20260115_140500_a1b2c3",
    "domain": "debugging",
    "strategy": "root-cause-analysis",
    "goal": "Make the cart total right",
    "hypothesis": "The discount is applied twice",
    "action": "Log each step of the total",
    "prediction": "Two lines name the discount",
}

FIELDS: dict[str, tuple[str, Any]] = {
    "abandoned": ("entries that were given up", 2),
    "clusters": ("the clusters of this page", None),
    "computed_at": ("when the clusters were computed", TIME),
    "confirmed": ("entries whose hypothesis held", 9),
    "confirmed_rate": ("the share of confirmed ones among those confirmed and falsified; null if there are none", 0.75),
    "considered": ("how many entries were compared", 120),
    "domains": ("the same by domain", {}),
    "entries": ("the entries, as the laptop's journal has them", [_ENTRY]),
    "TallyOut.entries": ("how many entries there are", 12),
    "entry": ("the id of the GHAP entry", "ghap_20260115_140500_a1b2c3"),
    "falsified": ("entries whose hypothesis was wrong", 3),
    "ghap_id": ("the id that the journal gave the entry", "ghap_20260115_140500_a1b2c3"),
    "goal": ("what the entry's author wanted to reach", "Make the cart total right"),
    "ClusterOut.key": ("the number of the cluster", 7),
    "likeness": ("how similar it is to the cluster's middle, from 0 to 1", 0.83),
    "mean_iterations": ("the mean number of attempts; null if there are none", 1.5),
    "median_iterations": ("the median number of attempts; null if there are none", 1.0),
    "medoid": ("the entry in the middle of the cluster", None),
    "members": ("the entries of the cluster, the most similar first", None),
    "open_entries": (
        "the entries that are not resolved yet, of each journal of the laptop",
        [{"id": "ghap_20260115_140500_a1b2c3", "goal": "Make the cart total right"}],
    ),
    "overall": ("the tally of all domains", None),
    "ClustersOut.scopes": ("how each axis of the project was clustered", None),
    "strategies": ("the strategies, the most used first", None),
    "terms": ("words that mark the cluster", ["cart", "rounding"]),
}
