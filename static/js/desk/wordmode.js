// Words of a passage, chosen with the keyboard. What is chosen is the document's own selection, so
// that it looks, and is read out, like any other; the mode only moves its ends, over whole words or
// whole grapheme clusters, never into one.
import { announce } from "./page.js";
import { add, evidenceFor } from "./evidence.js";
import { current } from "./cursor.js";
import { selectedPlace } from "./spans.js";
import { pointAt, snapped } from "./offsets.js";

// { container, stops: {word, character}, origin: [from, to), head }: chosen is what lies between
// the origin and the head, the origin's near end left out where the head is before it.
let mode = null;

export const choosing = () => mode !== null;

/** Begins at what is selected, else at the first word of the sentence at the cursor. */
export function begin() {
  const selected = selectedPlace();
  const box = current();
  if (!selected && !box) return;
  const container = selected?.text ?? box.closest(".quotable");
  const text = container.textContent;
  const stops = { word: stopsOf(text, "word"), character: stopsOf(text, "grapheme") };
  const origin = selected?.span ?? stops.word.find(([from]) => from >= unitsBefore(container, box));
  if (!origin) return;
  mode = { container, stops, origin, head: origin[1] };
  container.classList.add("choosing-words");
  show();
}

export function leave(quietly = false) {
  if (!mode) return;
  mode.container.classList.remove("choosing-words");
  mode = null;
  document.getSelection().removeAllRanges();
  if (!quietly) announce("Back to sentences.");
}

function stopsOf(text, granularity) {
  const segments = new Intl.Segmenter(undefined, { granularity }).segment(text);
  return [...segments]
    .filter(({ segment }) => segment.trim() !== "")
    .map(({ index, segment }) => [index, index + segment.length]);
}

function unitsBefore(container, box) {
  const range = document.createRange();
  range.setStart(container, 0);
  range.setEndBefore(box);
  return range.toString().length;
}

const chosen = () =>
  mode.head > mode.origin[0] ? [mode.origin[0], mode.head] : [mode.head, mode.origin[1]];

/** To the stop after or before what is chosen, and nothing else. */
function move(step, kind) {
  const [from, to] = chosen();
  const stops = mode.stops[kind];
  const next = step > 0 ? stops.find((stop) => stop[0] >= to) : stops.findLast((stop) => stop[1] <= from);
  if (!next) return;
  mode.origin = next;
  mode.head = next[1];
  show();
}

/** Takes one stop more or one fewer, at the end that moves. */
function extend(step, kind) {
  const [start, end] = mode.origin;
  const stops = mode.stops[kind];
  const after = mode.head > start;
  const head = step > 0
    ? stops.map((stop) => stop[after ? 1 : 0]).find((at) => at > mode.head)
    : stops.map((stop) => stop[after ? 1 : 0]).findLast((at) => at < mode.head);
  if (head === undefined) return;
  if (!after && head >= start) mode.head = end;
  else if (after && head <= start) mode.head = stops.findLast((stop) => stop[1] <= start)?.[0] ?? mode.head;
  else mode.head = head;
  show();
}

function show() {
  const [from, to] = chosen();
  const { container } = mode;
  const ends = [pointAt(container, from, true), pointAt(container, to, false)];
  document.getSelection().setBaseAndExtent(...ends[0], ...ends[1]);
  ends[1][0].parentElement.scrollIntoView({ block: "nearest" });
  announce(container.textContent.slice(from, to));
}

function take() {
  const span = snapped(mode.container.textContent, ...chosen());
  if (span) add(evidenceFor(mode.container, ...span));
}

/** Does what `event` asks for in this mode; whether it asked for anything. */
export function handle(event) {
  if (event.key === "Escape") leave();
  else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) take();
  else if (["ArrowLeft", "ArrowRight"].includes(event.key)) {
    const turned = getComputedStyle(lineAt()).direction === "rtl";
    const step = (event.key === "ArrowRight") === turned ? -1 : 1;
    (event.shiftKey ? extend : move)(step, event.altKey ? "character" : "word");
  } else return false;
  return true;
}

/** The element whose direction says which way is onward. */
const lineAt = () => pointAt(mode.container, mode.head, false)[0].parentElement;
