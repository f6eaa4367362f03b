"""schemathesis over the whole API against a running server: no 5xx, and no answer that its description does not allow.

Starts the product's web server on a database of its own, sends each operation many valid and invalid requests, and
prints what is wrong. The status is 1 if anything is. The last line is JSON.

    python bench/conformance.py [--examples 100] [--seed 0] [--only /search]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.api import prepare, web_server
from bench.support.server import running
from tests.support.requests.conformance import operations, try_operation


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=100, help="of each operation, valid and invalid ones")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="a part of the operation's method and path")
    arguments = parser.parse_args()
    os.environ |= {"MEMORYSERVER_REQUESTS_PER_MINUTE": "0", "MEMORYSERVER_EMBEDDING_URL": "http://127.0.0.1:9/v1"}
    tried = failed = 0
    with running():
        import schemathesis

        from memoryserver.accounts import tokens
        from memoryserver.accounts.models import User

        prepare()
        user = User.objects.get(username="bench")
        with web_server("product") as (port, _):
            schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/api/v1/openapi.json")
            for operation in operations(schema):
                if arguments.only not in operation.label:
                    continue
                tried += 1
                token = tokens.issue(user, "fuzzer")[1]  # one of the operations revokes its token
                began = time.monotonic()
                try:
                    sent = try_operation(operation, token, examples=arguments.examples, seed=arguments.seed)
                except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001  (whatever a check raises is printed)
                    failed += 1
                    print(f"FAILED {operation.label}\n{told(error)}", flush=True)
                else:
                    print(f"ok     {operation.label}: {sent} in {time.monotonic() - began:.0f} s", flush=True)
    print(f"{failed} of {tried} operations failed")
    rows = [{"what": "operations that failed", "ratio": round(failed / max(tried, 1), 4)}]
    print(json.dumps({"bench": "conformance", "rows": rows}))
    return 1 if failed else 0


def told(error: BaseException) -> str:
    """Return what is wrong, and what belongs to it: a group has several errors, a flaky test its first one."""
    parts = [*getattr(error, "exceptions", ()), *filter(None, [error.__cause__, error.__context__])]
    return "\n".join([str(error), *(told(part) for part in parts)])


if __name__ == "__main__":
    sys.exit(main())
