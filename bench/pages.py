"""How quick the pages are at a large size, beside a bare page: the site's layout with one COUNT of the entries.

    python bench/pages.py [--scale 0.1] [--rounds 20] [--slow] [--only /entries/]

At scale 1 there are 100,000 entries, a million tool calls, a million observations, 20,000 learnings and 300 failures,
copied by Postgres itself from a few real rows (`support.page_data`).

The bare page counts the rows of `ghap_entry`, the smallest of the three large tables, without any condition, which an
index answers: the least that a page must do which says how many there are. A COUNT of the calls or the observations
would take ten times as long, and one of the users says nothing of the size; the last column is the ratio to such a
page (`empty`), which no page can be quicker than.

Each round asks for every page with the bare page before and after it, so that a machine that is busy for a while slows
both. A page's figures are its 95th percentile beside that of the bare pages around it, and the median of its ratios to
them. `first` is the view after the kept figures of all users were thrown away. Goal: both at most GOAL times the bare
page, and no 95th percentile above MOST. `--slow` names the slowest statement of each page that misses it.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.support import page_data, server

if TYPE_CHECKING:
    from django.test import Client

GOAL = 4.0
MOST = 150.0  # milliseconds, on an idle machine
PAGES = [
    *("/", "/?days=30", "/trajectory/", "/trajectory/{session}/", "/entries/", "/entries/?strategy=read-the-error"),
    *("/entries/{entry}/", "/learnings/", "/learnings/{learning}/", "/learnings/review/", "/learnings/contradictions/"),
    *("/strategies/", "/failures/", "/failures/{failure}/", "/trajectory/observers/", "/context/", "/capture/"),
    *("/log/", "/log/?type=task.3", "/search/", "/account/asked/", "/operations/", "/account/", "/teams/"),
]
COLD = ["/", "/?days=30", "/strategies/", "/context/", "/capture/"]
"""Pages with figures that are kept for a minute."""


@dataclass
class Times:
    """Milliseconds of a page, of the bare pages before and after each of its views, and of the empty one after it."""

    path: str
    taken: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)

    @property
    def misses(self) -> bool:
        """Whether it misses the goal."""
        return max(self.ratio, self.median) > GOAL or _p95(self.taken) > MOST

    @property
    def ratio(self) -> float:
        """The 95th percentile beside that of the bare pages."""
        return _p95(self.taken) / _p95(self.bare)

    @property
    def median(self) -> float:
        """The median of the ratios of each view to the mean of the two bare pages around it."""
        around = [(before + after) / 2 for before, after in zip(self.bare[::2], self.bare[1::2], strict=True)]
        return statistics.median(taken / bare for taken, bare in zip(self.taken, around, strict=True))

    def row(self) -> str:
        """The row of the table."""
        beside_empty = statistics.median(taken / empty for taken, empty in zip(self.taken, self.empty, strict=True))
        return (
            f"{self.path:44} {statistics.median(self.taken):7.1f} ms, p95 {_p95(self.taken):7.1f} ms"
            f" {self.ratio:6.1f} x p95 {self.median:6.1f} x median {beside_empty:6.1f} x empty"
            f"{'  MISSES' if self.misses else ''}"
        )

    def rows(self) -> list[dict[str, object]]:
        """The rows of JSON."""
        values = {"p95": self.ratio, "median": self.median}
        return [{"what": f"{self.path} {name}", "ratio": round(value, 3)} for name, value in values.items()]


def view(client: Client, path: str) -> float:
    """Return the milliseconds that a page takes."""
    begun = time.perf_counter()
    response = client.get(path)
    taken = 1000 * (time.perf_counter() - begun)
    assert response.status_code == 200, (path, response.status_code)
    return taken


def measure(client: Client, paths: Sequence[str], rounds: int, *, first: bool = False) -> Sequence[Times]:
    """Return the times of `paths`, in `rounds` rounds; with `first` nothing is kept from the view before."""
    from django.core.cache import cache

    all_times = [Times(f"{path} first" if first else path) for path in paths]
    for number in range(rounds + 1):
        if number == 1:  # as the web server does after its first requests
            gc.collect()
            gc.freeze()
        for path, times in zip(paths, all_times, strict=True):
            if first:
                cache.clear()
            bare, taken, after = view(client, "/bare/"), view(client, path), view(client, "/bare/")
            if number:  # the first round warms up
                times.taken.append(taken)
                times.bare += [bare, after]
                times.empty.append(view(client, "/empty/"))
    return all_times


def slowest(client: Client, path: str) -> str:
    """Return the slowest statement of the page, with its milliseconds."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    worst = max(queries.captured_queries, key=lambda query: float(query["time"]))
    whole = sum(float(query["time"]) for query in queries.captured_queries)
    return (
        f"{1000 * float(worst['time']):.0f} of {1000 * whole:.0f} ms, {len(queries)} statements: {worst['sql'][:300]}"
    )


def _p95(taken: Sequence[float]) -> float:
    return statistics.quantiles(taken, n=20)[18]


def main() -> None:
    """Print a row for each page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--only", action="append", help="a page, instead of all")
    args = parser.parse_args()
    with server.running():
        from django.test import Client
        from django.test.utils import override_settings

        begun = time.perf_counter()
        user, keys = page_data.fill(args.scale)
        print(f"filled in {time.perf_counter() - begun:.0f} s", flush=True)
        client = Client()
        client.force_login(user)
        paths = [path.format(**keys) for path in args.only or PAGES]
        cold = [path for path in COLD if path in paths]
        with override_settings(ROOT_URLCONF="bench.support.bare_page", ALLOWED_HOSTS=["testserver"]):
            measured = [*measure(client, paths, args.rounds), *measure(client, cold, args.rounds, first=True)]
            for times in measured:
                print(times.row(), flush=True)
                if args.slow and times.misses:
                    print("   ", slowest(client, times.path.removesuffix(" first")))
    print(json.dumps({"bench": "pages", "rows": [row for times in measured for row in times.rows()]}))


if __name__ == "__main__":
    main()
