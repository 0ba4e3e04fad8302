// What every part of the desk needs: the form that is on the page now, and a voice.

export const desk = () => document.getElementById("desk");

/** Says `message` to screen readers; what it says can also be seen where it happened. */
export function announce(message) {
  const line = document.getElementById("announce");
  // The same words twice in a row would not be read out again.
  line.textContent = line.textContent === message ? message + "\u00a0" : message;
}

/** Shows `message` at the top of the page, where trouble is shown, and says it. */
export function trouble(message, kind = "error") {
  const line = document.createElement("p");
  line.className = `notice ${kind}`;
  line.textContent = message;
  document.getElementById("trouble").replaceChildren(line);
}

export const calm = () => document.getElementById("trouble").replaceChildren();

/** A word of the vocabulary as people read it. */
export const words = (value) =>
  value.replace("subject_specific", "subject-specific").replaceAll("_", " ");

const WRITING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], " +
  "[type=button], [type=submit], [type=hidden])";

/** Whether typing into `element` is meant for it. */
export const writes = (element) => element instanceof Element && element.matches(WRITING);

export const isShown = (element) => element.checkVisibility();
