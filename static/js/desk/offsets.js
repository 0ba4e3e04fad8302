// Positions in a text: DOM to code points and back. A container's textContent is the text as
// stored; checkboxes inside it hold no text and marks are drawn by the style sheet.

/** How many Unicode code points, which is what the server counts, `text` has. */
export function codePoints(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** [start, end) in UTF-16 units, without white space at its ends, widened to whole
 *  grapheme clusters; null where nothing is left. */
export function snapped(text, start, end) {
  while (start < end && /\s/u.test(text[start])) start += 1;
  while (end > start && /\s/u.test(text[end - 1])) end -= 1;
  if (start >= end) return null;
  const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
  const last = clusters.containing(end - 1);
  return [clusters.containing(start).index, last.index + last.segment.length];
}

/** [start, end) of what `range` covers of `container`, in UTF-16 units. */
export function unitsOf(container, range) {
  const whole = document.createRange();
  whole.selectNodeContents(container);
  const inside = range.cloneRange();
  if (inside.compareBoundaryPoints(Range.START_TO_START, whole) < 0)
    inside.setStart(whole.startContainer, whole.startOffset);
  if (inside.compareBoundaryPoints(Range.END_TO_END, whole) > 0)
    inside.setEnd(whole.endContainer, whole.endOffset);
  const before = document.createRange();
  before.setStart(whole.startContainer, whole.startOffset);
  before.setEnd(inside.startContainer, inside.startOffset);
  const start = before.toString().length;
  return [start, start + inside.toString().length];
}

/** Where in the document the unit `at` of `container` is, as [node, offset]: at the beginning of
 *  what follows it, or at the end of what precedes it. */
export function pointAt(container, at, begins) {
  const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
  let seen = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const within = at - seen;
    if (begins ? within < node.data.length : within <= node.data.length) return [node, within];
    seen += node.data.length;
  }
  return [container, container.childNodes.length];
}

/** The range of code points [start, end) of `container`. */
export function rangeOf(container, start, end) {
  const characters = Array.from(container.textContent);
  const from = characters.slice(0, start).join("").length;
  const to = from + characters.slice(start, end).join("").length;
  const range = document.createRange();
  range.setStart(...pointAt(container, from, true));
  range.setEnd(...pointAt(container, to, false));
  return range;
}
