"""Every page, with rows whose texts are long and look like scripts: none runs, and the page is in order.

Each is loaded once, and looked at by day on a wide screen and at night on a phone. axe-core, which takes most of the
time, looks at each page on one of the two, in turn; with `bench/proofs/properties.py` on both.

The pages are those of `tests.support.requests.doors`, which has every address: a new page is
looked at here without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

import pytest
from playwright.sync_api import Page, ViewportSize

from memoryserver.accounts.models import Project, User
from tests.e2e.test_page_scripts import WORDS, searches
from tests.e2e.test_page_scripts import pages as addresses
from tests.e2e.visits import Visits
from tests.support.examples import tries_all
from tests.support.rows import hostile_rows, many_rows
from tests.support.rows.sent_calls import call
from trajectory.intake import receive
from trajectory.models import Trajectory

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
LONG = "src/" + "/".join(f"a-folder-{n}-of-many" for n in range(4)) + ".py"  # 80 characters without a blank
CALLS = 300

WITHOUT_TEXTS = {
    *(f"/account/{name}/" for name in ("confirm", "password", "two-factor", "two-factor/webauthn")),
    *("/device/", "/inactive/", "/logout/", "/password/reset/done/", "/password/reset/key/done/"),
    *("/account/address/sent/", "/sso/cancelled/"),
    "/weekly-mail/01935f4e-0000-7000-8000-000000000001/unsubscribe/",
}
"""Pages that show nothing that somebody wrote, beside the name of the user in the menu."""

# `preload` would fetch the stylesheets again, for a rule on the orientation of the screen that is off by default.
SERIOUS = """async () => {
    const found = await axe.run(document, {resultTypes: ["violations"], preload: false});
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

OVERFLOW = """() => {
    const screen = window.innerWidth;
    const width = document.documentElement.scrollWidth;
    if (width <= screen) return [];
    const wide = [...document.querySelectorAll("main *")].filter((element) => {
        for (let above = element.parentElement; above; above = above.parentElement) {
            if (getComputedStyle(above).overflowX !== "visible") return false;
        }
        return element.getBoundingClientRect().right > screen + 0.5;
    });
    const first = wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 120));
    return [`${width} px wide: ${first.join(" | ")}`];
}"""

TARGETS = """() => {
    const wrong = [];
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

UNFOLD = "() => document.querySelectorAll('details').forEach((details) => { details.open = true; })"


@dataclass(frozen=True)
class Screen:
    """How a page is looked at, and the checks there beside those of axe-core."""

    name: str
    size: ViewportSize
    colors: Literal["light", "dark"]
    checks: Sequence[str]


WIDE = Screen("wide by day", {"width": 1280, "height": 900}, "light", (STRUCTURE, OVERFLOW))
PHONE = Screen("phone at night", {"width": 360, "height": 800}, "dark", (OVERFLOW, TARGETS))


@pytest.fixture
def paths(owner: User) -> list[str]:
    """The address of every page of a user who has everything, some with long texts and many rows."""
    ids = hostile_rows.make(owner)
    project = Project.objects.get(pk=str(ids["project_id"]))
    made = [
        call(n, tool_input={"file_path": f"{n}{LONG}"}, **({"error": LONG} if n % 9 == 0 else {})) for n in range(CALLS)
    ]
    receive(owner, project, "long-session", "", made)
    many_rows.learnings(owner, 3)
    Project.objects.filter(pk=project.pk).update(key=project.key + LONG)
    User.objects.update(
        is_staff=True, time_zone=""
    )  # the texts of all fields are no zone, and that of the browser counts
    session = Trajectory.objects.get(session_id="long-session")
    known = {**ids, "project": project.key + LONG}
    return list(
        dict.fromkeys(
            [
                *(path for role in ("author", "lead") for path in addresses(known, role)),
                *("/operations/", "/account/invitations/", "/learnings/?state=all", "/entries/?outcome=open"),
                *(f"/trajectory/{session.pk}/", f"/trajectory/{ids['trajectory']}/?order=oldest", f"/search/?q={LONG}"),
            ]
        )
    )


def faults(page: Page, by_axe: Sequence[Screen]) -> Iterator[str]:
    """What is wrong with how the page looks, and with its structure; axe-core looks at it on the screens `by_axe`."""
    page.evaluate(AXE)
    for screen in (WIDE, PHONE):
        page.set_viewport_size(screen.size)
        page.emulate_media(color_scheme=screen.colors)
        for check in (SERIOUS, *screen.checks) if screen in by_axe else screen.checks:
            yield from (f"{screen.name}: {text}" for text in page.evaluate(check))
    page.evaluate(UNFOLD)
    yield from (f"unfolded: {text}" for text in page.evaluate(OVERFLOW))


def test_no_page_has_a_fault_or_runs_a_text(visits: Visits, owner: User, paths: list[str]) -> None:
    visits.page.set_default_timeout(120_000)
    fragment = {path for path in paths if path.endswith("/similar/")}
    for number, path in enumerate(paths):
        by_axe = (WIDE, PHONE) if tries_all() else [(WIDE, PHONE)[number % 2]]
        visits.page.set_viewport_size(WIDE.size)
        visits.page.emulate_media(color_scheme=WIDE.colors)
        visits.go(path)
        if path not in fragment:
            for fault in faults(visits.page, by_axe):
                visits.complain(fault)
    for path in (*searches(), f"/device/?code={WORDS}"):
        visits.go(path)

    assert visits.wrong == {}
    alike = {path for path in paths if "similar" in path or "near-equal" in path}  # nothing is alike to the one entry
    assert {path for path in paths if path not in visits.shown} - alike == WITHOUT_TEXTS
