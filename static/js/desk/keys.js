// The keys. What a key does to one element is written on that element (aria-keyshortcuts), where
// screen readers find it too; here are those that move about.
import { announce, isShown, writes } from "./page.js";
import { whyOff } from "./contract.js";
import { move, place, toggle } from "./cursor.js";
import { isSentence, removers } from "./evidence.js";
import { insertNumber } from "./snippets.js";
import * as wordmode from "./wordmode.js";

const MOVES = { j: () => move(1), k: () => move(-1) };

/** Calls what a key stands for. `save` and `undo` are what they say. */
export function watchKeys({ save, undo }) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (pressed(event, { save, undo })) event.preventDefault();
  });
  document.addEventListener("focusin", ({ target }) => {
    if (isSentence(target)) place(target);
  });
}

function pressed(event, { save, undo }) {
  if (event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey) {
    if (event.key === "Enter") return event.repeat || save();
    if (event.key === "z" && !writes(event.target)) return undo();
  }
  if (event.altKey && !event.ctrlKey && /^Digit[1-9]$/.test(event.code))
    return insertNumber(Number(event.code.slice(5)));
  if (writes(event.target)) return event.key === "Escape" && leaveText(event.target);
  if (wordmode.choosing()) {
    if (wordmode.handle(event)) return true;
    if (event.key.length > 1) return false;
    wordmode.leave(true);
  }
  return plain(event) && single(event);
}

function leaveText(box) {
  box.blur();
  document.getElementById("main").focus({ preventScroll: true });
  return true;
}

/** Without a modifier, but for the ones that some keyboards need to type a sign at all. */
const plain = (event) =>
  event.getModifierState("AltGraph") || !(event.ctrlKey || event.metaKey || event.altKey);

/** The letter of a key, also on a keyboard that types none of the Latin ones. */
function nameOf(event) {
  if (/^[\x21-\x7e]$/.test(event.key)) return event.shiftKey ? event.key : event.key.toLowerCase();
  return /^Key[A-Z]$/.test(event.code) ? event.code.slice(3).toLowerCase() : event.key;
}

function single(event) {
  const key = nameOf(event);
  if (MOVES[key]) return MOVES[key](), true;
  if (event.repeat) return false;
  if (key === "x") return toggle();
  if (key === "X") return toggle() && reach(elementFor("n"));
  if (key === "v") return wordmode.begin(), true;
  if (key === "l") return toEvidence();
  if (key === "a") return nextOfAnswer();
  if (key === " " && atRest(event.target)) return toggle();
  if (key === "Enter" && isSentence(event.target)) return wordmode.begin(), true;
  return reach(elementFor(key));
}

/** Whether nothing that answers to Space itself has the focus. */
const atRest = (element) => element === document.body || element.id === "main";

function toEvidence() {
  const first = removers()[0];
  if (first) first.focus();
  else announce("No evidence is chosen yet.");
  return true;
}

/** On the page of a part: the sentence of the answer after the one that is chosen. */
function nextOfAnswer() {
  const all = [...document.querySelectorAll(".splittable input")];
  if (all.length === 0) return false;
  const next = all[(all.findIndex((input) => input.checked) + 1) % all.length];
  next.click();
  next.focus();
  return true;
}

function elementFor(key) {
  return [...document.querySelectorAll("[aria-keyshortcuts]")]
    .find((element) => element.getAttribute("aria-keyshortcuts").split(" ").includes(key));
}

/** Does to `element` what it is there for: a choice is chosen, a text box or what opens one is
 *  gone to, a button pressed. */
function reach(element) {
  if (!element || !isShown(element)) return false;
  if (element.disabled) announce(element.type === "radio" ? whyOff(element) : "Not now.");
  else if (writes(element)) goTo(element);
  else if (element.matches("summary")) open(element);
  else element.click();
  return true;
}

function goTo(box) {
  for (let outer = box.closest("details"); outer; outer = outer.parentElement.closest("details"))
    outer.open = true;
  box.focus();
  box.scrollIntoView({ block: "nearest" });
}

function open(summary) {
  const part = summary.parentElement;
  part.open = !part.open;
  const inside = [...part.querySelectorAll("textarea, input, [tabindex]")].find(isShown);
  (part.open && inside ? inside : summary).focus();
}
