// The statement after this one: reserved and fetched while this one is being read, so that saving
// shows it at once. It is kept in this document's memory and nowhere else.
import { desk } from "./page.js";
import { ask, parsed } from "./views.js";

let kept = null;
let asked = 0;

const keyOf = (view) => view.nodes.find((node) => node.id === "desk")?.elements.statement.value;

/** Reserves and fetches what comes after the statement on screen, unless it is kept already. */
export async function prepare() {
  const form = desk();
  if (!form?.dataset.next) return;
  if (kept && keyOf(kept) !== form.elements.statement.value) return;
  const number = (asked += 1);
  kept = null;
  try {
    const view = await fetched(form);
    if (view && keyOf(view) && number === asked) kept = view;
  } catch {
    // Nothing is lost: the next statement is fetched when this one is saved.
  }
}

async function fetched(form) {
  const body = new FormData();
  body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
  body.set("after", form.elements.statement.value);
  const answer = await ask(form.dataset.next, { method: "POST", body });
  const url = answer.headers.get("X-Next");
  if (!url) return null;
  const page = await ask(url);
  return page.ok ? parsed(await page.text(), new URL(url, location).href) : null;
}

/** The next statement where it is at hand, which then is kept no longer. */
export function take() {
  const view = kept;
  keep(null);
  return view;
}

/** Keeps `view` for later: the statement before it came back. */
export function keep(view) {
  asked += 1;
  kept = view;
}
