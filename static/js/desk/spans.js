// Words of a passage, selected with a mouse or a finger, as evidence.
import { announce } from "./page.js";
import { add, evidenceFor } from "./evidence.js";
import { codePoints, snapped, unitsOf } from "./offsets.js";

/** The places among `texts`, each {text, span}, that the selection covers. */
function covered(texts = ".quotable") {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return [];
  const range = selection.getRangeAt(0);
  return [...document.querySelectorAll(texts)]
    .filter((text) => range.intersectsNode(text))
    .map((text) => ({ text, span: snapped(text.textContent, ...unitsOf(text, range)) }))
    .filter((hit) => hit.span);
}

/** The one place that the selection covers, null where it is none or more than one. */
export function selectedPlace() {
  const hits = covered();
  return hits.length === 1 ? hits[0] : null;
}

/** The words of the answer that are selected, as `start-end` in code points; "" for none. */
export function answerSpan() {
  const [hit] = covered(".answer");
  if (!hit) return "";
  return hit.span.map((at) => codePoints(hit.text.textContent.slice(0, at))).join("-");
}

export function takeSelection() {
  const hits = covered();
  if (hits.length === 0) announce("Select words in a passage first.");
  else if (hits.length > 1) announce("Select words inside one passage at a time.");
  else {
    add(evidenceFor(hits[0].text, ...hits[0].span));
    document.getSelection().removeAllRanges();
  }
}

let began = null;

/** A single drag takes what it selected; words selected by double click or by a finger wait for
 *  the button. */
export function watchSelection() {
  document.addEventListener("mousedown", (event) => {
    began = event.target.closest(".quotable");
  });
  document.addEventListener("mouseup", (event) => {
    // The browser settles the selection after this event.
    if (began && event.detail === 1) setTimeout(() => covered().length && takeSelection(), 0);
    began = null;
  });
  document.addEventListener("selectionchange", () => {
    const button = document.getElementById("take-selection");
    if (button) button.hidden = covered().length === 0;
  });
}
