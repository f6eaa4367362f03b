"""A browser that goes from page to page and notes what is wrong there: no text of a row may run, nothing may fail."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Page

from tests.support.rows.hostile_rows import EVALUATED

CHECK = """(evaluated) => [
    window.hit === undefined ? "" : "a script ran",
    document.querySelector("[onerror]") ? "an element has onerror" : "",
    document.querySelector("a[href^='javascript:' i], form[action^='javascript:' i]") ? "a link runs a script" : "",
    document.querySelector("script:not([src]):not([type='application/json'])") ? "a script is in the page" : "",
    document.documentElement.innerHTML.includes(evaluated) ? "a template was evaluated" : "",
].filter(Boolean)"""
SHOWN = "(document.querySelector('main') || document.body).innerHTML.includes('hit=1')"


@dataclass
class Visits:
    """What was wrong on which page, and the pages that showed one of the texts."""

    page: Page
    address: str
    wrong: dict[str, list[str]] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    path: str = ""

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self.complain(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complain(str(error)))
        self.page.on("request", lambda request: self._check_host(request.url))
        self.page.on("dialog", lambda _: self.complain("a dialog was opened"))

    def go(self, path: str) -> None:
        self.path = path
        answer = self.page.goto(self.address + path)
        if answer is None or answer.status != 200:
            self.complain(f"status {answer and answer.status}")
        if urlsplit(self.page.url).path != urlsplit(path).path:
            self.complain(f"led to {self.page.url}")
        for complaint in self.page.evaluate(CHECK, EVALUATED):
            self.complain(complaint)
        if self.page.evaluate(SHOWN):
            self.shown.add(path)

    def complain(self, text: str) -> None:
        self.wrong.setdefault(self.path, []).append(text)

    def _check_host(self, url: str) -> None:
        if not url.startswith((self.address + "/", "data:")):
            self.complain(f"asked {url}")
