// What is being written is kept on the server, a second after the last change and when the page is
// left. Each save of a form has a number, so that one which arrives late cannot win there. Nothing
// of it is kept in the browser's own stores.
import { announce, desk, trouble } from "./page.js";
import { entries } from "./entries.js";
import { ask, show, parsed, presentUrl } from "./views.js";
import { writeTime } from "./time.js";

const PAUSE = 1_000;
const RETRY = 5_000;
const OFFLINE = "Could not save: you are offline; what you typed is still here";
const LOST = "Your reservation ran out and someone else has this statement now. Go on: your label is kept.";

let form = null;
let stored = "";
let timer = 0;
// Of the save that is underway, so that a form which is submitted can call it off.
let underway = null;
let stopped = false;
let lostSaid = false;

const written = () => JSON.stringify(entries());
const address = () => desk()?.dataset.draft;

function status(message) {
  document.getElementById("draft-note").textContent = message;
}

/** Follows the form that is shown now, which is stored as it stands. */
export function beginDrafts() {
  clearTimeout(timer);
  form = desk();
  stored = form.dataset.stored ?? written();
  form.dataset.stored = stored;
  stopped = lostSaid = false;
  noteWriting();
}

export function noteWriting() {
  clearTimeout(timer);
  if (!stopped && address() && !form.dataset.sending && written() !== stored) timer = setTimeout(save, PAUSE);
}

/** Saves what is not stored yet; `leaving`, so that the page may go before the answer comes. */
export async function save({ leaving = false } = {}) {
  clearTimeout(timer);
  if (stopped || !address() || form.dataset.sending || written() === stored) return;
  if (underway && !leaving) return noteWriting();
  underway = new AbortController();
  const { signal } = underway;
  const mine = form;
  const sent = written();
  try {
    const answer = await ask(address(), { method: "POST", body: numbered(), keepalive: leaving, signal },
      { Accept: "application/json" });
    if (mine === desk()) await settled(answer, sent);
  } catch {
    if (mine === desk() && !signal.aborted) failed(OFFLINE);
  }
  underway = null;
  if (mine === desk() && !timer) noteWriting();
}

/** What is sent for good needs no draft. */
export function callOff() {
  clearTimeout(timer);
  underway?.abort();
}

function numbered() {
  writeTime(form);
  const body = new FormData(form);
  // A part is kept unfinished.
  body.set("keep", "1");
  form.elements.number.value = Number(form.elements.number.value) + 1;
  return body;
}

async function settled(answer, sent) {
  timer = 0;
  if (answer.status === 409) return conflicting(await answer.json());
  if (answer.status === 401)
    return failed("Could not save: you are signed out. Sign in in another tab; what you typed is still here");
  if (!answer.ok) return failed("Could not save the draft; what you typed is still here");
  const said = await answer.json();
  stored = form.dataset.stored = sent;
  status(`Draft saved ${new Date(said.saved_at ?? Date.now()).toTimeString().slice(0, 5)}`);
  if (said.lease === "lost" && !lostSaid) {
    lostSaid = true;
    trouble(LOST, "warning");
  }
}

function failed(message) {
  status(message);
  timer = setTimeout(save, RETRY);
}

/** Someone, likely the same person in another tab, wrote on another draft: nothing more is saved
 *  over it unasked. */
function conflicting({ submitted }) {
  stopped = true;
  if (submitted) return trouble("This form was submitted already: its label stands.", "warning");
  status("");
  trouble("Another tab has newer work on this statement. Nothing of yours is lost, and no draft is "
    + "saved over it.", "warning");
  const both = document.createElement("button");
  both.type = "button";
  both.className = "button quiet";
  both.textContent = "Show both";
  both.addEventListener("click", showBoth);
  document.querySelector("#trouble .notice").append(" ", both);
  announce("Another tab has newer work on this statement.");
}

async function showBoth() {
  try {
    const answer = await ask(address(), { method: "POST", body: numbered() });
    const view = parsed(await answer.text(), presentUrl());
    if (view) show(view, "stay");
  } catch {
    status(OFFLINE);
  }
}

export function watchDrafts() {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") save({ leaving: true });
  });
  addEventListener("pagehide", () => save({ leaving: true }));
  addEventListener("online", () => save());
}
