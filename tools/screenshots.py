"""Makes the pictures of the README and of docs/: an empty server, the demo's data, and a browser on its pages.

    python tools/screenshots.py [--out FOLDER] [--all]

Writes PNG files to docs/pictures, some 100 kB each; with `--all` one of each page, in both schemes and widths, to be
looked at. Needs Debian's chromium; takes about two minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

sys.path.insert(0, str(Path(__file__).parent.parent))

from playwright.sync_api import Page, sync_playwright

from bench.support import server

PASSWORD = "a password for pictures"
PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
WIDE, TALL, NARROW = (1180, 820), (1180, 1180), (375, 800)
LIGHT, DARK = "light", "dark"

# The name of the picture, the page (a link's text after `>` is followed from it), the scheme and the size.
SHOWN = [
    ("home", "/?days=30", LIGHT, TALL),
    ("home-dark", "/?days=30", DARK, TALL),
    ("session", "/trajectory/ > #results a", LIGHT, WIDE),
    ("entry", "/entries/?outcome=falsified > #results h2 a", LIGHT, WIDE),
    ("learnings", "/learnings/", LIGHT, WIDE),
    ("failures", "/failures/", LIGHT, WIDE),
    ("strategies", "/strategies/", LIGHT, WIDE),
    ("search", "/search/?q=webhook+signature", LIGHT, WIDE),
]
EVERY = [
    *("/", "/trajectory/", "/trajectory/ > #results a", "/entries/", "/entries/ > #results h2 a", "/learnings/"),
    *("/learnings/review/", "/failures/", "/failures/ > .failure h2 a", "/strategies/", "/trajectory/observers/"),
    *("/context/", "/capture/", "/log/", "/search/?q=webhook+signature", "/operations/", "/account/", "/teams/"),
]


class _Threading(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Silent(WSGIRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def pages() -> Iterator[str]:
    """Serve the demo's data within it, at the address."""
    with server.running():
        from django.core.management import call_command
        from django.core.wsgi import get_wsgi_application

        from memoryserver import embedding
        from memoryserver.accounts.models import User
        from memoryserver.ops.schedules import ensure_schedules

        embedding.load()
        call_command("seed_demo", password=PASSWORD, verbosity=0)
        call_command("createcachetable", verbosity=0)
        ensure_schedules()
        User.objects.filter(username="alice").update(is_staff=True)
        with _Threading(("127.0.0.1", 0), _Silent) as web:
            web.set_app(get_wsgi_application())
            threading.Thread(target=web.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{web.server_port}"
            web.shutdown()


def _beat() -> None:
    """Be the job worker that the pages ask for."""
    from memoryserver.ops.worker import record_heartbeat

    record_heartbeat()


def take(browser_page: Page, address: str, way: str, path: Path) -> None:
    """Open the page of `way` and write its picture to `path`."""
    first, _, link = way.partition(" > ")
    browser_page.goto(address + first)
    if link:
        browser_page.locator(link).first.click()
    browser_page.wait_for_load_state("networkidle")
    browser_page.screenshot(path=path)


def every_look() -> list[tuple[str, str, str, tuple[int, int]]]:
    """Return what to take of every page: light and dark, wide and narrow."""
    looks = [(scheme, size) for scheme in (LIGHT, DARK) for size in (WIDE, NARROW)]
    return [
        (f"{number:02d}-{scheme}-{size[0]}", way, scheme, size)
        for number, way in enumerate(EVERY)
        for scheme, size in looks
    ]


def sign_in(browser_page: Page, address: str) -> None:
    """Sign in as one of the demo's people."""
    browser_page.goto(f"{address}/login/")
    browser_page.get_by_label("User").fill("alice")
    browser_page.get_by_label("Password").fill(PASSWORD)
    browser_page.get_by_role("button", name="Sign in").click()


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--out", type=Path, default=PICTURES, help="folder of the pictures")
    parser.add_argument("--all", action="store_true", help="every page, light and dark, wide and narrow")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's event loop is in this thread
    shots = every_look() if args.all else SHOWN
    with pages() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        cookies = None
        for name, way, scheme, (width, height) in shots:
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == DARK else "light",
                timezone_id="Europe/Berlin",
                storage_state=cookies,
            )
            browser_page = context.new_page()
            if cookies is None:
                sign_in(browser_page, address)
                cookies = context.storage_state()
            _beat()
            take(browser_page, address, way, args.out / f"{name}.png")
            print(f"{name}.png", (args.out / f"{name}.png").stat().st_size // 1024, "kB")
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
