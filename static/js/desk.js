// The desk, made quicker: words selected with the mouse become evidence, and what the contract
// forbids is switched off with the reason. Everything here also works without it.
import { codePoints, rangeOf, snapped, unitsOf } from "./offsets.js";

// The desk that is on the page now: saving brings the next one without loading a new page.
let form, quotes, row, take;

const words = (value) => value.replace("subject_specific", "subject-specific").replaceAll("_", " ");

function announce(message) {
  document.getElementById("announce").textContent = message;
}

// ---- Evidence

const citedBy = (input) => JSON.parse(input.value);
const samePlace = (one, other) =>
  ["passage_id", "source_id", "start", "end"].every((name) => one[name] === other[name]);
const chosen = () => [...form.querySelectorAll('[name="evidence"]:checked')];

function containerOf(evidence) {
  const kind = evidence.passage_id === null ? "source" : "passage";
  const id = evidence.passage_id ?? evidence.source_id;
  return [...document.querySelectorAll(".quotable")].find(
    (text) => text.dataset.kind === kind && text.dataset.id === id);
}

/** What is selected, as evidence; a sentence for people where it cannot be. */
function selected() {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  const touched = [...document.querySelectorAll(".quotable")]
    .filter((text) => range.intersectsNode(text))
    .map((text) => ({ text, span: snapped(text.textContent, ...unitsOf(text, range)) }))
    .filter((hit) => hit.span);
  if (touched.length === 0) return null;
  if (touched.length > 1) return "Select words inside one passage at a time.";
  return evidenceFor(touched[0].text, ...touched[0].span);
}

function evidenceFor(container, from, to) {
  const text = container.textContent;
  const start = codePoints(text.slice(0, from));
  const quote = text.slice(from, to);
  const inSource = container.dataset.kind === "source";
  return {
    passage_id: inSource ? null : container.dataset.id,
    source_id: inSource ? container.dataset.id : null,
    quote,
    start,
    end: start + codePoints(quote),
  };
}

function add(evidence) {
  if (chosen().some((input) => samePlace(citedBy(input), evidence))) {
    announce("These words are chosen already.");
    return;
  }
  const item = row.content.firstElementChild.cloneNode(true);
  item.querySelector("input").value = JSON.stringify(evidence);
  item.querySelector(".passage-id").textContent =
    evidence.passage_id ?? "source " + evidence.source_id;
  item.querySelector("q").textContent = evidence.quote;
  quotes.append(item);
  equip(item);
  refresh();
  announce("Added as evidence: " + evidence.quote);
}

/** Gives a chosen quote its button to remove it. */
function equip(item) {
  let button = item.querySelector(".remove");
  if (!button) {
    button = row.content.querySelector(".remove").cloneNode(true);
    item.append(button);
  }
  button.setAttribute("aria-label", "Remove the quote: " + item.querySelector("q").textContent);
  button.addEventListener("click", () => remove(item));
}

function remove(item) {
  const next = item.nextElementSibling ?? item.previousElementSibling;
  item.remove();
  (next ? next.querySelector(".remove") : take).focus();
  refresh();
  announce("Quote removed.");
}

function refresh() {
  const ticked = form.querySelectorAll(".sentence input:checked").length;
  document.getElementById("ticked").textContent =
    ticked === 0 ? "" : ticked === 1 ? "1 sentence ticked." : ticked + " sentences ticked.";
  if (!CSS.highlights) return;
  const marked = [...quotes.querySelectorAll("input:checked")].map(citedBy)
    .map((evidence) => ({ evidence, container: containerOf(evidence) }))
    .filter((hit) => hit.container)
    .map(({ evidence, container }) => rangeOf(container, evidence.start, evidence.end));
  CSS.highlights.set("evidence", new Highlight(...marked));
}

function takeSelection(quietly) {
  const found = selected();
  if (found === null) {
    if (!quietly) announce("Select words in a passage first.");
    return;
  }
  if (typeof found === "string") {
    announce(found);
    return;
  }
  add(found);
  document.getSelection().removeAllRanges();
}

// ---- The contract

const radios = (name) => [...form.querySelectorAll(`[name="${name}"]`)];
const checkedOf = (name) => form.querySelector(`[name="${name}"]:checked`);

/** Leaves only the `allowed` values of a field to choose, and chooses an only one. */
function restrict(name, allowed) {
  for (const radio of radios(name)) {
    radio.disabled = !allowed.includes(radio.value);
    if (radio.disabled) radio.checked = false;
  }
  if (allowed.length === 1) radios(name).find((radio) => radio.value === allowed[0]).checked = true;
}

function followSpeechAct() {
  const act = form.elements.speech_act?.selectedOptions[0];
  if (!act) return;
  const all = radios("claim_class").map((radio) => radio.value);
  restrict("claim_class", act.dataset.class ? [act.dataset.class] : all);
}

function followClass() {
  const stated = checkedOf("claim_class");
  const all = radios("verdict").map((radio) => radio.value);
  const allowed = stated ? stated.dataset.verdicts.split(" ") : all;
  restrict("verdict", allowed);
  const note = stated
    ? `A claim classed ${words(stated.value)} takes: ${allowed.map(words).join(", ")}.`
    : "Which verdicts can be chosen depends on the class.";
  document.getElementById("verdict-note").textContent = note;
  return note;
}

function follow(event) {
  if (event.target.name === "speech_act") followSpeechAct();
  if (["speech_act", "claim_class"].includes(event.target.name)) announce(followClass());
  if (event.target.name === "evidence") refresh();
}

// ---- Wiring

function begin() {
  const desk = document.getElementById("desk");
  if (!desk || desk === form) return;
  form = desk;
  quotes = document.getElementById("quotes");
  row = document.getElementById("quote-row");
  take = document.getElementById("take-selection");
  take.addEventListener("mousedown", (event) => event.preventDefault());
  take.addEventListener("click", () => takeSelection(false));
  form.addEventListener("change", follow);
  for (const item of quotes.children) equip(item);
  followSpeechAct();
  followClass();
  refresh();
  document.getElementById("errors")?.focus();
}

let began = null;
document.addEventListener("mousedown", (event) => {
  began = event.target.closest(".quotable");
});
document.addEventListener("mouseup", (event) => {
  // A single drag takes what it selected; words selected by double click wait for the button.
  // The browser settles the selection after this event.
  if (began && event.detail === 1) setTimeout(() => takeSelection(true), 0);
  began = null;
});
document.addEventListener("htmx:afterSettle", () => {
  document.getElementById("main").focus({ preventScroll: true });
  begin();
});
begin();
