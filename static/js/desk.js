// The desk, made quick: keys for everything, the next statement at hand, nothing lost on the way.
// Everything here can also be done without it.
import * as changes from "./desk/changes.js";
import { follow, settle } from "./desk/contract.js";
import { settleCursor } from "./desk/cursor.js";
import { beginDrafts, noteWriting, save as saveDraft, watchDrafts } from "./desk/drafts.js";
import * as evidence from "./desk/evidence.js";
import { watchKeys } from "./desk/keys.js";
import { announce, desk } from "./desk/page.js";
import { insertChosen } from "./desk/snippets.js";
import { takeSelection, watchSelection } from "./desk/spans.js";
import { prepareNext, submit, undoSaved } from "./desk/submitting.js";
import { beginTime, watchTime } from "./desk/time.js";
import { beginViews, visit } from "./desk/views.js";
import { leave } from "./desk/wordmode.js";

/** The desk that is on the page now is made ready; called for each that is shown. */
function begin() {
  leave(true);
  if (!desk()) return;
  settle();
  evidence.refresh();
  settleCursor();
  changes.beginChanges();
  beginTime(desk());
  beginDrafts();
  document.getElementById("errors")?.focus();
  prepareNext();
}

function save() {
  const button = desk()?.querySelector(".submit-bar .primary");
  button?.click();
  return Boolean(button);
}

function undo() {
  if (!changes.undoChange() && !undoSaved()) announce("There is nothing to undo.");
  return true;
}

const CLICKS = {
  "#take-selection": takeSelection,
  "#show-keys": () => document.getElementById("keys").showModal(),
  "#field-evidence .remove": (button) => evidence.remove(button),
  "#insert-snippet": insertChosen,
  ".desk-tools a, .submit-bar a": (link) => leaveFor(link.href),
};

async function leaveFor(url) {
  await saveDraft();
  visit(url);
}

document.addEventListener("click", (event) => {
  const isSave = event.target.closest(".submit-bar .primary");
  // The second click of a double click would send the next statement's form.
  if (isSave && event.detail > 1) return event.preventDefault();
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  for (const [place, act] of Object.entries(CLICKS)) {
    const found = event.target.closest(place);
    if (!found) continue;
    event.preventDefault();
    act(found);
  }
});
document.addEventListener("mousedown", (event) => {
  // Pressing the button leaves the words selected.
  if (event.target.closest("#take-selection")) event.preventDefault();
});
document.addEventListener("change", (event) => {
  if (!desk()?.contains(event.target)) return;
  follow(event.target);
  settleCursor();
  if (event.target.name === "evidence") evidence.refresh();
  changes.noteChange();
  noteWriting();
});
document.addEventListener("input", (event) => {
  if (!desk()?.contains(event.target)) return;
  // Words of one's own say that no words of the answer are meant.
  if (event.target.id === "id_text") desk().querySelector('[name="words"][value=""]').checked = true;
  noteWriting();
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.id !== "undo" && form !== desk()) return;
  event.preventDefault();
  if (form.id === "undo") undoSaved();
  else submit(form, event.submitter);
});

watchKeys({ save, undo });
watchSelection();
watchTime();
watchDrafts();
beginViews(begin);
begin();
