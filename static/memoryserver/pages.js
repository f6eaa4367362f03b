// Shows why a request of htmx failed; htmx itself leaves the page as it is and says nothing.
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
