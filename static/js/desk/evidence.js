// The evidence on the form: sentences that are ticked in their passages, and words that were
// chosen. Both stand in the list, in the colour of a marker where they are quoted from.
import { announce, desk, isShown } from "./page.js";
import { codePoints, rangeOf } from "./offsets.js";

const list = () => document.getElementById("quotes");
const citedBy = (input) => JSON.parse(input.value);
const PLACE = ["passage_id", "source_id", "start", "end"];
const samePlace = (one, other) => PLACE.every((name) => one[name] === other[name]);

export const placeOf = (evidence) => evidence.passage_id ?? "source " + evidence.source_id;
export const sentences = () => [...desk().querySelectorAll('.sentence > [name="evidence"]')];
export const quotes = () => [...list().querySelectorAll("input")];
export const isSentence = (input) => input.matches('.sentence > [name="evidence"]');

export function containerOf(evidence) {
  const kind = evidence.passage_id === null ? "source" : "passage";
  const id = evidence.passage_id ?? evidence.source_id;
  return [...document.querySelectorAll(".quotable")].find(
    (text) => text.dataset.kind === kind && text.dataset.id === id);
}

/** The units [from, to) of a passage or source, as evidence. */
export function evidenceFor(container, from, to) {
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

/** Adds `evidence`; nothing that stands is ever taken away by it. */
export function add(evidence) {
  const standing = [...quotes(), ...sentences()].filter((input) => input.checked);
  if (standing.some((input) => samePlace(citedBy(input), evidence))) {
    announce("These words are chosen already.");
    return;
  }
  list().append(row(JSON.stringify(evidence), evidence));
  changed();
  announce("Added as evidence: " + evidence.quote);
}

function row(value, evidence) {
  const item = filled("quote-row", evidence);
  item.querySelector("input").value = value;
  return item;
}

function filled(template, evidence) {
  const item = document.getElementById(template).content.firstElementChild.cloneNode(true);
  item.querySelector(".passage-id").textContent = placeOf(evidence);
  item.querySelector("q").textContent = evidence.quote;
  item.querySelector(".remove").setAttribute("aria-label", "Remove the quote: " + evidence.quote);
  return item;
}

/** Puts `values`, as the form sends them, in the place of all evidence that stands. */
export function replaceAll(values) {
  const wanted = new Set(values);
  for (const input of sentences()) {
    input.checked = wanted.has(input.value);
    wanted.delete(input.value);
  }
  list().replaceChildren(...[...wanted].map((value) => row(value, JSON.parse(value))));
  refresh();
}

/** Removes what a button of the list stands for; the focus goes on to the next one. */
export function remove(button) {
  const buttons = removers();
  const at = buttons.indexOf(button);
  const item = button.closest("li");
  if (item.parentElement === list()) item.remove();
  else sentences().find((input) => input.value === item.dataset.value).checked = false;
  changed();
  const left = removers();
  (left[Math.min(at, left.length - 1)] ?? document.getElementById("main"))
    .focus({ preventScroll: left.length === 0 });
  announce("Quote removed.");
}

export const removers = () =>
  [...document.querySelectorAll("#field-evidence .remove")].filter(isShown);

function changed() {
  refresh();
  desk().dispatchEvent(new Event("change", { bubbles: true }));
}

/** Draws the list and the marks anew from what is chosen. */
export function refresh() {
  const ticked = sentences().filter((input) => input.checked);
  document.getElementById("ticked").replaceChildren(...ticked.map((input) => {
    const item = filled("ticked-row", citedBy(input));
    item.dataset.value = input.value;
    return item;
  }));
  const taken = quotes().filter((input) => input.checked);
  const count = ticked.length + taken.length;
  document.getElementById("evidence-count").textContent =
    count === 0 ? "" : count === 1 ? "1 quote" : `${count} quotes`;
  mark(taken.map(citedBy));
}

function mark(cited) {
  if (!CSS.highlights) return;
  const ranges = cited
    .map((evidence) => ({ evidence, container: containerOf(evidence) }))
    .filter((hit) => hit.container)
    .map(({ evidence, container }) => rangeOf(container, evidence.start, evidence.end));
  CSS.highlights.set("evidence", new Highlight(...ranges));
}
