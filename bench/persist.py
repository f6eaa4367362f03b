"""How many entries a second the persisting job takes, beside the bare model.

    python bench/persist.py [--entries 600] [--rounds 3]

Row `persist`: entries a second through `ghap.jobs.persist_pending` (texts of the axes, look-up, embedding, vectors,
index of words, the log), to the same texts through `model.encode` in one batch. Both in turns, so that a busy moment
meets both alike; the ratio is that of the medians. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

from bench.support import server
from bench.support.relevance.data import entry_of, memory


def main() -> None:
    """Print the table and the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with server.running():
        rows = _measure(options.entries, options.rounds)
    print(json.dumps({"bench": "persist", "rows": rows}))


def _measure(count: int, rounds: int) -> list[dict[str, Any]]:
    from memoryserver import embedding

    embedding.load()
    bodies = [entry_of(text) for text in memory(4 * count).texts if text.fields][:count]
    assert len(bodies) == count
    texts = _texts(bodies)
    _bare(texts[:64])
    _job("warm", bodies[:10])
    bare, job = [], []
    for number in range(rounds):
        bare.append(_bare(texts))
        job.append(_job(f"round{number}", bodies))
    ratio = statistics.median(bare) / statistics.median(job)
    print(f"{count} entries, {len(texts)} texts, median of {rounds}")
    print(f"    model.encode in one batch  {count / statistics.median(bare):8.1f} entries/s")
    print(f"    through the job            {count / statistics.median(job):8.1f} entries/s   {ratio:.2f}")
    return [{"what": "persist", "ratio": round(ratio, 4)}]


def _texts(bodies: list[dict[str, Any]]) -> list[str]:
    from ghap.axes import axis_texts
    from ghap.local import GHAPEntry

    return [text for body in bodies for text in axis_texts(GHAPEntry.from_dict(body)).values()]


def _bare(texts: list[str]) -> float:
    from memoryserver import embedding

    model = embedding.service()._loaded()  # type: ignore[attr-defined]
    started = time.perf_counter()
    model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    return time.perf_counter() - started


def _job(name: str, bodies: list[dict[str, Any]]) -> float:
    """Seconds of the job over `bodies`, sent by a user of that name."""
    from ghap.intake import receive
    from ghap.jobs import persist_pending
    from memoryserver.accounts.models import User

    receive(User.objects.create(username=name), None, bodies)
    started = time.perf_counter()
    done = persist_pending()
    assert done == len(bodies), done
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
