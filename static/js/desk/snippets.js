// The annotator's own sentences, put into the rationale where its cursor stands.
import { announce } from "./page.js";

const choices = () => [...document.querySelectorAll("#snippets option[data-text]")];

function insert(text) {
  const box = document.getElementById("id_rationale");
  box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
  box.focus();
  box.dispatchEvent(new Event("input", { bubbles: true }));
  announce("Inserted: " + text);
}

export function insertChosen() {
  const chosen = document.querySelector("#snippets select").selectedOptions[0];
  if (chosen?.dataset.text) insert(chosen.dataset.text);
  else announce("Choose a snippet first.");
}

/** Inserts the snippet of that number, from 1; false where there is none. */
export function insertNumber(number) {
  const snippet = choices()[number - 1];
  if (snippet) insert(snippet.dataset.text);
  return Boolean(snippet);
}
