// Undo for what was chosen on the form: every choice is one step back.
import { announce } from "./page.js";
import { choices, choose } from "./entries.js";

let past = [];
let present = null;

export function beginChanges() {
  past = [];
  present = choices();
}

/** Remembers what was chosen before, if anything changed. */
export function noteChange() {
  const now = choices();
  if (JSON.stringify(now) === JSON.stringify(present)) return;
  past.push(present);
  present = now;
}

/** Takes the last choice back; false where there is none. */
export function undoChange() {
  if (past.length === 0) return false;
  present = past.pop();
  choose(present);
  announce("Undone: the last choice on this form.");
  return true;
}
