// Sending the form: after a label the next statement shows at once, and the form comes back as it
// was if it was not saved.
import { announce, calm, trouble } from "./page.js";
import { ask, lineIn, parsed, presentUrl, show, visit } from "./views.js";
import { callOff, noteWriting } from "./drafts.js";
import { keep, prepare, take } from "./preload.js";
import { answerSpan } from "./spans.js";
import { writeTime } from "./time.js";

const UNREACHED = "The server could not be reached. Nothing on this page was lost; try again.";

// One after the other, in the order in which they were sent.
let sending = Promise.resolve();

/** Sends `form` by the button `by`: its label, or what the button asks for instead. */
export function submit(form, by) {
  if (form.dataset.sending) return;
  form.dataset.sending = "yes";
  callOff();
  writeTime(form);
  const action = by?.hasAttribute("formaction") ? by.formAction : form.action;
  const sent = { form, action, url: presentUrl(), body: new FormData(form, by), left: null };
  if (by?.id === "split") sent.body.set("words", answerSpan());
  sending = sending.then(() => settled(sent));
  const next = form.dataset.next && action === form.action ? take() : null;
  if (next) sent.left = show(next);
  calm();
  announce(next ? "Saving. The next statement is shown." : "Saving.");
}

/** Looks for what comes next, once what was sent is stored: before that it would be found again. */
export const prepareNext = () => sending.then(prepare);

async function settled(sent) {
  const said = await answered(sent);
  delete sent.form.dataset.sending;
  if (said.onward) await onward(sent, said);
  else back(sent, said);
}

/** What the server says: { onward, undo, warning } or { view } of a refusal or { message }. */
async function answered({ form, action, url, body }) {
  try {
    let answer = await ask(action, { method: "POST", body });
    if (answer.status === 403 && (await renewed(form, url, body)))
      answer = await ask(action, { method: "POST", body });
    const told = (name) => answer.headers.get(name);
    if (told("X-Next")) return { onward: told("X-Next"), undo: told("X-Undo"), warning: told("X-Said") };
    const html = await answer.text();
    const view = [409, 422].includes(answer.status) ? parsed(html, url) : null;
    return { view, message: view ? null : lineIn(html, answer.status) };
  } catch {
    return { message: UNREACHED };
  }
}

/** After someone signed in again the form's token is an old one; whether there is a new one. */
async function renewed(form, url, body) {
  const page = new DOMParser().parseFromString(await (await ask(url)).text(), "text/html");
  const token = page.querySelector("#desk [name=csrfmiddlewaretoken]")?.value;
  if (!token) return false;
  form.elements.csrfmiddlewaretoken.value = token;
  body.set("csrfmiddlewaretoken", token);
  return true;
}

async function onward(sent, { onward, undo, warning }) {
  if (sent.left) {
    count(sent.form);
    lookBack(sent.url);
  } else await visit(onward, new URL(onward, location).href === presentUrl() ? "stay" : "push");
  if (undo) {
    offerUndo(undo);
    announce("Label saved.");
  }
  if (warning) trouble(warning, "warning");
}

/** The page that is shown was made before the label was saved: what it says of labels made so far
 *  is brought up to date. */
function count(form) {
  const bar = document.querySelector(".desk-header progress");
  if (!bar || form.elements.replaces.value) return;
  bar.value += 1;
  document.querySelector(".desk-header .progress strong").textContent = bar.value.toLocaleString("en");
}

function lookBack(url) {
  const link = document.querySelector(".desk-tools [rel=prev]");
  if (!link) return;
  link.href = url;
  link.hidden = false;
}

function offerUndo(path) {
  const form = document.getElementById("undo");
  if (!form) return;
  form.action = path;
  form.hidden = false;
  form.querySelector(".undo-said").textContent = "Label saved.";
}

/** It was not saved: its form is shown again, as it was or with what is wrong beside each field;
 *  what was begun meanwhile waits for its turn. */
function back(sent, { view, message }) {
  if (view) view.url = sent.url;
  if (sent.left) keep(show(view ?? sent.left));
  else if (view) show(view, "replace");
  noteWriting();
  if (message) trouble(message);
  else document.getElementById("errors")?.focus();
  announce("Not saved.");
}

/** Takes the label back that was saved last; false where there is none. */
export function undoSaved() {
  const form = document.getElementById("undo");
  if (!form || form.hidden) return false;
  sending = sending.then(async () => {
    const said = await answered({ form, action: form.action, url: presentUrl(), body: new FormData(form) });
    if (!said.onward) return trouble(said.message ?? "There is no label to take back.");
    keep(null);
    await visit(said.onward);
    announce("The label is taken back. What it said is here as a draft.");
  });
  return true;
}
