// What is filled in, as the form would send it, and back.
import { desk } from "./page.js";
import { replaceAll } from "./evidence.js";
import { settle } from "./contract.js";

// Of the form itself rather than of what is filled in.
const OWN = ["csrfmiddlewaretoken", "statement", "submission", "replaces", "active_seconds"];

/** Every [name, value] that is filled in. */
export const entries = () => [...new FormData(desk())].filter(([name]) => !OWN.includes(name));

const written = (name) => desk().querySelector(`textarea[name="${name}"], input[type=number][name="${name}"]`);

/** What is chosen rather than written: text boxes undo for themselves. */
export const choices = () => entries().filter(([name]) => !written(name));

/** Chooses `values` in the place of what is chosen; what is written stays. */
export function choose(values) {
  const wanted = (name) => values.filter(([other]) => other === name).map(([, value]) => value);
  for (const input of desk().querySelectorAll("input[type=radio], input[type=checkbox]")) {
    if (input.name === "evidence" || !input.name) continue;
    input.disabled = false;
    input.checked = wanted(input.name).includes(input.value);
  }
  for (const select of desk().querySelectorAll("select")) select.value = wanted(select.name)[0] ?? "";
  replaceAll(wanted("evidence"));
  settle();
}
