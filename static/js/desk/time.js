// How long a statement was worked on: time counts while the page can be seen and for half a minute
// after the last sign of someone there.

const IDLE = 30_000;
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchstart"];

let active = 0;
let last = 0;

function count() {
  const now = performance.now();
  active += Math.min(now - last, IDLE);
  last = now;
}

/** Starts anew, from what was counted on this form before. */
export function beginTime(form) {
  active = 1000 * Number(form.elements.active_seconds?.value || 0);
  last = performance.now();
}

export function seconds() {
  if (document.visibilityState === "visible") count();
  return Math.round(active / 100) / 10;
}

/** Writes the time into the form that is about to be sent. */
export function writeTime(form) {
  if (form.elements.active_seconds) form.elements.active_seconds.value = seconds();
}

export function watchTime() {
  const sign = () => document.visibilityState === "visible" && count();
  for (const name of SIGNS) document.addEventListener(name, sign, { capture: true, passive: true });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") count();
    else last = performance.now();
  });
}
