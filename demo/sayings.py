"""The learnings of the demo, by project: type, text, source and how sure capture is of it."""

from __future__ import annotations

from demo.stories import ETL, FRONT, SHOP

LEARNINGS: tuple[tuple[str, str, str, str, float], ...] = (
    (
        SHOP,
        "gotcha",
        "`request.body` must be read before `request.data`; afterwards DRF raises RawPostDataException.",
        "stated",
        0.86,
    ),
    (
        SHOP,
        "convention",
        "Money is `Decimal` with two places everywhere; floats are refused in review.",
        "stated",
        0.91,
    ),
    (SHOP, "command", "`make test-fast` runs the unit tests alone; CI runs `make test`.", "observed", 0.88),
    (
        SHOP,
        "error_recovery",
        "`pytest` fails with `no such table: orders` until `make migrate` was run once.",
        "observed",
        0.83,
    ),
    (
        SHOP,
        "decision",
        "Webhook payloads are stored raw for 30 days, because the provider resends without telling the order.",
        "stated",
        0.84,
    ),
    (SHOP, "correction", "Use the `orders_v2` endpoint, not `orders`: the old one drops discounts.", "agent", 0.95),
    (
        SHOP,
        "security",
        "The provider signs the raw bytes of the request; a re-serialised body never matches.",
        "agent",
        0.93,
    ),
    (
        SHOP,
        "solution",
        "Idempotency keys go into a table with a unique index; Redis forgot them at a restart.",
        "stated",
        0.8,
    ),
    (
        ETL,
        "gotcha",
        "`make load` needs PGOPTIONS, which only direnv sets; without it the import goes to the wrong schema.",
        "agent",
        0.94,
    ),
    (ETL, "convention", "All jobs of the warehouse run with TZ=UTC.", "stated", 0.9),
    (
        ETL,
        "optimization",
        "COPY into a staging table and one INSERT ... SELECT is 40 times as fast as a transaction for each row.",
        "stated",
        0.87,
    ),
    (ETL, "error_recovery", '`psql: FATAL: role "etl" does not exist` goes away with `make roles`.', "observed", 0.85),
    (
        ETL,
        "learning",
        "The returns table has a history trigger, so batches are slow there and not in the price import.",
        "stated",
        0.79,
    ),
    (ETL, "command", "`python -m etl replay 2026-10-03` loads one day again.", "observed", 0.82),
    (FRONT, "convention", "We use pnpm, never npm: the lock file of npm breaks the image build.", "agent", 0.96),
    (
        FRONT,
        "gotcha",
        "`priceMode` comes from the session on server and browser alike; a default makes prices flicker.",
        "stated",
        0.85,
    ),
    (FRONT, "decision", "The basket is synchronised by BroadcastChannel, since two tabs write it.", "stated", 0.83),
    (
        FRONT,
        "test",
        "The checkout's browser tests need `STRIPE_MODE=mock`, or they wait for the network.",
        "stated",
        0.81,
    ),
    (FRONT, "preference", "No barrel files: import from the module itself.", "stated", 0.88),
    (FRONT, "breakthrough", "The flicker was two renderers with different props, not slow fonts.", "stated", 0.78),
)

PROVISIONAL: tuple[tuple[str, str, str, str, float], ...] = (
    (SHOP, "gotcha", "The cart's tests read the rates of today; freeze the date with `freeze_rates`.", "stated", 0.84),
    (SHOP, "command", "`pytest tests -q -x` stops at the first total that differs.", "observed", 0.82),
)
"""What was learned in the session that still runs."""
