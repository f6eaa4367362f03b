"""Every page, with rows whose texts are long and look like scripts: by day on a wide screen, at night on a phone.

The pages are those of `tests.support.doors`, which has every address: a new page is looked at here without a word.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from memoryserver.accounts.models import Project, User
from tests.e2e import sign_in
from tests.e2e.test_page_scripts import pages as addresses
from tests.support import hostile_rows, many_rows
from tests.support.sent_calls import call
from trajectory.intake import receive
from trajectory.models import Trajectory

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
LONG = "src/" + "/".join(f"a-folder-{n}-of-many" for n in range(4)) + ".py"  # 80 characters without a blank
CALLS = 300

SERIOUS = """async () => {
    const found = await axe.run(document, {resultTypes: ["violations"]});
    return found.violations
        .filter((rule) => ["serious", "critical"].includes(rule.impact))
        .map((rule) => `${rule.id}: ${rule.nodes[0].html.slice(0, 160)}`);
}"""

STRUCTURE = """() => {
    const wrong = [];
    const all = (selector) => [...document.querySelectorAll(selector)];
    const visible = (element) => element.checkVisibility({visibilityProperty: true});
    if (all("h1").length !== 1) wrong.push(`${all("h1").length} h1`);
    const skip = document.querySelector("a[href], button, input, select, textarea");
    const skips = skip && skip.matches(".skip") && document.querySelector(skip.getAttribute("href"));
    if (!skips) wrong.push("no skip link");
    if (!document.title.endsWith("memoryserver")) wrong.push(`title ${document.title}`);
    for (const time of all("time.moment, time.clock")) {
        if (!time.title.endsWith("UTC") || time.textContent.includes("UTC")) wrong.push(`time ${time.outerHTML}`);
    }
    for (const time of all("time:not(.moment, .clock)")) {
        if (!time.title.endsWith("UTC")) wrong.push(`time ${time.outerHTML}`);
    }
    for (const button of all("button.show")) if (visible(button)) wrong.push("a button that scripts make useless");
    // What htmx does has a way without it: a link, a form, or a field of a form.
    const ways = "a[href], form[action], form[action] *, details:has(a[href]), :has(> a[href]), :has(> p > a[href])";
    for (const element of all("[hx-get], [hx-post]")) {
        const byItself = element.matches("[hx-trigger^=every], [hx-trigger=load]");  // a link it had is replaced by now
        const plain = byItself || element.form || element.matches(ways);
        if (!plain) wrong.push(`needs htmx: ${element.outerHTML.slice(0, 160)}`);
    }
    for (const svg of all("svg")) {
        if (!svg.matches("[aria-hidden], [aria-label]")) wrong.push(`no text for ${svg.outerHTML.slice(0, 80)}`);
    }
    return wrong;
}"""

PHONE = """() => {
    const wrong = [];
    const width = document.documentElement.scrollWidth;
    if (width > 375) {
        const wide = [...document.querySelectorAll("main *")].filter((element) => {
            for (let above = element.parentElement; above; above = above.parentElement) {
                if (getComputedStyle(above).overflowX !== "visible") return false;
            }
            return element.getBoundingClientRect().right > 375.5;
        });
        const first = wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 120));
        wrong.push(`${width} px wide: ${first.join(" | ")}`);
    }
    const targets = "button, select, textarea, summary, .button, .chip, nav.main a, nav.tabs a, " +
        "input:not([type=checkbox], [type=radio], [type=hidden])";
    for (const element of document.querySelectorAll(targets)) {
        const box = element.getBoundingClientRect();
        const shown = element.checkVisibility({visibilityProperty: true}) && box.width > 1;
        const low = shown && box.height < 43.9;
        if (low) wrong.push(`${box.height.toFixed()} px high: ${element.outerHTML.slice(0, 120)}`);
    }
    return wrong;
}"""


@pytest.fixture
def alice(transactional_db: None) -> User:
    return User.objects.create_user("alice", password="open sesame please")


@pytest.fixture
def paths(alice: User) -> list[str]:
    """The address of every page of a user who has everything, some with long texts and many rows."""
    ids = hostile_rows.make(alice)
    project = Project.objects.get(pk=str(ids["project_id"]))
    made = [
        call(n, tool_input={"file_path": f"{n}{LONG}"}, **({"error": LONG} if n % 9 == 0 else {})) for n in range(CALLS)
    ]
    receive(alice, project, "long-session", "", made)
    many_rows.learnings(alice, 3)
    Project.objects.filter(pk=project.pk).update(key=project.key + LONG)
    User.objects.update(
        is_staff=True, time_zone=""
    )  # the texts of all fields are no zone, and that of the browser counts
    session = Trajectory.objects.get(session_id="long-session")
    known = {**ids, "project": project.key + LONG}
    fragment = f"/entries/{ids['entry']}/similar/"
    return list(
        dict.fromkeys(
            [
                *(path for role in ("author", "lead") for path in addresses(known, role) if path != fragment),
                *("/operations/", "/account/invitations/", "/learnings/?state=all", "/entries/?outcome=open"),
                *(f"/trajectory/{session.pk}/", f"/trajectory/{session.pk}/?order=oldest", f"/search/?q={LONG}"),
            ]
        )
    )


def complaints(page: Page, address: str, paths: list[str], *checks: str) -> dict[str, list[str]]:
    """What is wrong on each page by `checks`, axe-core, and the browser's console."""
    found: dict[str, list[str]] = {}
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    for path in paths:
        said.clear()
        answer = page.goto(address + path)
        reached = (answer and answer.status, urlsplit(page.url).path)
        status = [] if reached == (200, urlsplit(path).path) else [str(reached)]
        page.evaluate(AXE)
        wrong = [*status, *said, *(text for check in (SERIOUS, *checks) for text in page.evaluate(check))]
        if wrong:
            found[path] = wrong
    return found


def test_no_page_has_a_fault_by_day_on_a_wide_screen(
    page: Page, live_server: Any, alice: User, paths: list[str]
) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.set_default_timeout(120_000)
    sign_in.by_cookie(page, live_server.url, alice)

    assert complaints(page, live_server.url, paths, STRUCTURE) == {}


def test_no_page_has_a_fault_at_night_on_a_phone(page: Page, live_server: Any, alice: User, paths: list[str]) -> None:
    page.set_viewport_size({"width": 375, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.set_default_timeout(120_000)
    sign_in.by_cookie(page, live_server.url, alice)

    assert complaints(page, live_server.url, paths, PHONE) == {}
