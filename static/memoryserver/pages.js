// What pages do beyond htmx: say why a request failed, show times in the reader's time zone, and search with "/".
"use strict";

function showProblem(text) {
    const box = document.getElementById("problem");
    box.textContent = text;
    box.hidden = text === "";
}

function problemIn(html) {
    const main = new DOMParser().parseFromString(html, "text/html").querySelector("main");
    return main ? main.textContent.trim() : "The server did not answer as expected. Reload the page.";
}

document.addEventListener("htmx:beforeRequest", () => showProblem(""));
document.addEventListener("htmx:sendError", () => showProblem("The server cannot be reached. Try again in a moment."));
document.addEventListener("htmx:responseError", (event) => showProblem(problemIn(event.detail.xhr.responseText)));

const MOMENT = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" });
const CLOCK = new Intl.DateTimeFormat("sv-SE", { timeStyle: "medium" });

function showLocalTimes(root) {
    if (document.body.dataset.zone) return; // the server has shown them in the zone that the reader has chosen
    for (const element of root.querySelectorAll("time.moment")) {
        element.textContent = MOMENT.format(new Date(element.dateTime));
    }
    for (const element of root.querySelectorAll("time.clock")) {
        element.textContent = CLOCK.format(new Date(element.dateTime));
    }
}

showLocalTimes(document);
document.addEventListener("htmx:load", (event) => showLocalTimes(event.detail.elt));

document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
    const box = document.getElementById("q") || document.getElementById("find");
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
});

// Keys of a page's own: an element with `data-key` is pressed by it, and the fields that it opens are entered.
document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !/^[a-z]$/.test(event.key)) return;
    const target = document.querySelector(`[data-key="${event.key}"]`);
    if (!target) return;
    event.preventDefault();
    target.click();
    const field = target.matches("summary") ? target.parentElement.querySelector("textarea, input:not([type=hidden])") : null;
    if (field) requestAnimationFrame(() => field.focus());
});

// What is around the results leads to other pages with the scope of this one, which the scope bar has changed in the address.
const SCOPE = ["team", "project", "days"];

function keepScope() {
    const here = new URLSearchParams(location.search);
    for (const link of document.querySelectorAll(".brand, nav.main a, nav.tabs a, main > p a")) {
        const address = new URL(link.href);
        for (const name of SCOPE) {
            if (here.get(name)) address.searchParams.set(name, here.get(name));
            else address.searchParams.delete(name);
        }
        link.href = address.pathname + address.search;
    }
    const fields = document.querySelector(".find .scope-fields");
    if (!fields) return;
    fields.replaceChildren(...SCOPE.filter((name) => here.get(name)).map((name) => {
        const field = document.createElement("input");
        Object.assign(field, { type: "hidden", name, value: here.get(name) });
        return field;
    }));
}

document.addEventListener("htmx:pushedIntoHistory", keepScope);
document.addEventListener("htmx:replacedInHistory", keepScope);

// A team has its own projects: choosing it hides the others, and leaves a project that it does not have.
function offerProjects(team) {
    const project = team.form.elements.namedItem("project");
    for (const option of project ? project.options : []) {
        const other = option.value !== "" && team.value !== "" && !option.dataset.teams.split("|").includes(team.value);
        option.hidden = option.disabled = other;
        if (other && option.selected) project.value = "";
    }
}

for (const team of document.querySelectorAll(".scope-bar #team")) offerProjects(team);
document.addEventListener("change", (event) => {
    if (event.target.id === "team") offerProjects(event.target);
}, true);

// The arrow keys go through the results of a search, from the box on and back to it.
document.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const links = [...document.querySelectorAll("[data-arrows] > .hit")].map((hit) => hit.querySelector("a")).filter(Boolean);
    const box = document.getElementById("q");
    const here = links.indexOf(document.activeElement);
    if (!links.length || (here < 0 && document.activeElement !== box)) return;
    const next = here + (event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
    if (next < 0) box.focus();
    else if (next < links.length) links[next].focus();
});

// A form whose whole page depends on it is sent when a choice changes; its button is for browsers without scripts.
document.addEventListener("change", (event) => {
    if (event.target.form && event.target.form.hasAttribute("data-auto")) event.target.form.requestSubmit();
});

// Copies as text: the link shows the text, with scripts it goes to the clipboard.
document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-copy]");
    if (!link || event.ctrlKey || event.metaKey || !navigator.clipboard) return;
    event.preventDefault();
    const answer = await fetch(link.href);
    if (!answer.ok) {
        showProblem("The text could not be loaded. Try again in a moment.");
        return;
    }
    await navigator.clipboard.writeText(await answer.text());
    const words = link.textContent;
    link.textContent = "copied";
    setTimeout(() => { link.textContent = words; }, 1500);
});
