// Every page: says so, visibly, when a request of htmx fails; the page itself is left as it was.
// And on a phone, where the navigation of a set is one row to scroll, the current page is in sight.
"use strict";

(function () {
  function say(message) {
    const trouble = document.getElementById("trouble");
    if (!trouble) return;
    const line = document.createElement("p");
    line.className = "notice error";
    line.textContent = message;
    trouble.replaceChildren(line);
  }

  function reasonIn(xhr) {
    const page = new DOMParser().parseFromString(xhr.responseText || "", "text/html");
    const line = page.querySelector(".notice.error, .page-header .lead");
    return line ? line.textContent : "The server answered with an error (" + xhr.status + ").";
  }

  const current = document.querySelector(".set-nav [aria-current]");
  if (current) current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.clientWidth / 3;

  document.addEventListener("htmx:responseError", (event) => say(reasonIn(event.detail.xhr)));
  document.addEventListener("htmx:sendError", () =>
    say("The server could not be reached. Nothing on this page was lost; try again."));
  document.addEventListener("htmx:timeout", () =>
    say("The server took too long. Nothing on this page was lost; try again."));
  document.addEventListener("htmx:beforeRequest", () =>
    document.getElementById("trouble")?.replaceChildren());
})();
