// Pages shown in the place of the present one without a load: only what stands in <main> changes,
// and in it not the lines that speak to screen readers, so that what they say is heard.
import { calm, trouble } from "./page.js";

const LASTING = ["announce", "trouble"];

// { url, title, nodes }: a page that is shown, or kept in memory to be.
let present = null;
let afterwards = () => {};

const lasting = (node) => LASTING.includes(node.id);

export const presentUrl = () => present.url;

/** Takes note of the page as it was loaded; `after` is called whenever another is shown. */
export function beginViews(after) {
  present = { url: location.href, title: document.title };
  afterwards = after;
  history.replaceState({ shown: true }, "");
  addEventListener("popstate", () => {
    // A link within the page changes the address too.
    if (location.href.split("#")[0] !== present.url.split("#")[0]) visit(location.href, "stay");
  });
}

/** The page in `html`, kept; null where it has no <main>. */
export function parsed(html, url) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.querySelector("main");
  if (!main) return null;
  return { url, title: page.title, nodes: [...main.childNodes].filter((node) => !lasting(node)) };
}

/** Shows `view`, and returns the one that it takes the place of, as it was left. The address is
 *  `push`ed, `replace`d or `stay`s. */
export function show(view, address = "push") {
  const main = document.getElementById("main");
  const old = { ...present, nodes: [...main.childNodes].filter((node) => !lasting(node)), top: scrollY };
  const kept = [...main.childNodes].filter(lasting);
  // Not by each node's own remove(): a form's is hidden by its button of that name.
  main.replaceChildren(...kept, ...view.nodes.map((node) => document.adoptNode(node)));
  if (address === "push") history.pushState({ shown: true }, "", view.url);
  if (address === "replace") history.replaceState({ shown: true }, "", view.url);
  document.title = view.title;
  present = { url: view.url, title: view.title };
  calm();
  scrollTo(0, view.top ?? 0);
  main.focus({ preventScroll: true });
  window.htmx?.process(main);
  afterwards();
  return old;
}

/** Asks the server, as the script of a page that is open: it answers a lost session with 401. */
export function ask(url, options = {}, headers = {}) {
  return fetch(url, { ...options, headers: { "HX-Request": "true", ...headers } });
}

/** The line in which the server says why not. */
export function lineIn(html, status) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const line = page.querySelector(".notice.error, .page-header .lead");
  return line ? line.textContent : `The server answered with an error (${status}).`;
}

/** Goes to `url`, a page like this one, without loading a new document. */
export async function visit(url, address = "push") {
  let answer;
  try {
    answer = await ask(url);
  } catch {
    trouble("The server could not be reached. You are still where you were.");
    return;
  }
  const view = answer.ok && !answer.headers.get("HX-Redirect")
    ? parsed(await answer.text(), answer.url) : null;
  if (view) show(view, address);
  else location.assign(url);
}
