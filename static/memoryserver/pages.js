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

function showLocalTimes(root) {
    for (const element of root.querySelectorAll("time.moment")) {
        element.textContent = MOMENT.format(new Date(element.dateTime));
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
