// The sentence that the keys speak of. It begins at the first one there is: any better guess, such
// as the sentence most like the statement, would suggest what to cite.
import { announce, isShown } from "./page.js";
import { chosen } from "./contract.js";
import { sentences } from "./evidence.js";

const WHERE = { subject_specific: "#passages", external: "#sources" };

/** The sentences that the stated class may cite; all of them where it says nothing. */
function walkable() {
  const shown = sentences().filter(isShown);
  const where = WHERE[chosen("claim_class")?.value];
  const within = where ? shown.filter((input) => input.closest(where)) : [];
  return within.length ? within : shown;
}

/** The tick box of the sentence at the cursor; undefined where there is no sentence. */
export function current() {
  const all = walkable();
  return all.find((input) => input.closest(".at-cursor")) ?? all[0];
}

export function place(input) {
  for (const other of document.querySelectorAll(".at-cursor")) other.classList.remove("at-cursor");
  input?.closest(".sentence").classList.add("at-cursor");
}

export const settleCursor = () => place(current());

/** Moves by `step` sentences and focuses the box, so that it is read out and Space ticks it. */
export function move(step) {
  const all = walkable();
  if (all.length === 0) {
    announce("There is no sentence to choose.");
    return;
  }
  const at = all.findIndex((input) => input.closest(".at-cursor"));
  const to = all[Math.max(0, Math.min(all.length - 1, at + step))];
  place(to);
  to.focus({ preventScroll: true });
  to.closest(".sentence").scrollIntoView({ block: "nearest" });
}

export function toggle() {
  const input = current();
  if (!input) return false;
  place(input);
  input.click();
  const words = input.nextElementSibling.textContent;
  announce(`${input.checked ? "Ticked" : "Tick taken off"}: ${words}`);
  return true;
}
