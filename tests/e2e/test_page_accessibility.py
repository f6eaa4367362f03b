"""axe-core finds nothing serious on any page, in both colour schemes, and each page has one main heading."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from capture.learnings import visible
from ghap.models import Entry, FailureMember
from ghap.models import Failure as RecurringFailure
from memoryserver.accounts.models import User
from tests.e2e.test_page_home import alice_with_work  # noqa: F401  (a fixture)
from tests.e2e.test_page_search import sign_in
from tests.support import many_rows
from trajectory.models import Trajectory

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
CHECK = """async () => {
    const found = await axe.run(document, {resultTypes: ["violations"]});
    return found.violations
        .filter((rule) => ["serious", "critical"].includes(rule.impact))
        .map((rule) => `${rule.id}: ${rule.nodes[0].html.slice(0, 160)}`);
}"""


def pages() -> list[str]:
    alice = User.objects.get(username="alice")
    rows = [
        f"/trajectory/{Trajectory.objects.order_by('pk')[0].pk}/",
        f"/entries/{Entry.objects.order_by('pk')[0].pk}/",
        f"/failures/{RecurringFailure.objects.order_by('pk')[0].pk}/",
        f"/learnings/{visible(alice).order_by('pk')[0].pk}/",
    ]
    return [
        *("/", "/trajectory/", "/entries/", "/learnings/", "/strategies/", "/failures/?state=all"),
        *("/trajectory/observers/", "/context/", "/capture/", "/log/", "/search/?q=leak", "/operations/"),
        *("/account/", "/account/tokens/", "/teams/"),
        *rows,
    ]


def _failure(user: User) -> None:
    now = timezone.now()
    failure = RecurringFailure.objects.create(user=user, size=1, weight=1.0, first_seen=now, last_seen=now)
    FailureMember.objects.create(failure=failure, entry=Entry.objects.order_by("pk")[0], rank=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_violation(
    scheme: Any,
    page: Page,
    live_server: Any,
    alice_with_work: User,  # noqa: F811
) -> None:
    User.objects.update(is_staff=True)
    _failure(alice_with_work)
    many_rows.learnings(alice_with_work, 2)
    page.emulate_media(color_scheme=scheme)
    sign_in(page, live_server.url)
    found, headings = {}, {}
    for path in pages():
        page.goto(live_server.url + path)
        page.evaluate(AXE)
        if violations := page.evaluate(CHECK):
            found[path] = violations
        if (number := page.locator("h1").count()) != 1:
            headings[path] = number
    assert found == {}
    assert headings == {}
