// What the contract forbids is switched off, with the reason beside it. Which verdicts a class
// takes, and which class a speech act belongs to, is data of the page.
import { announce, desk, words } from "./page.js";

const radios = (name) => [...desk().querySelectorAll(`[name="${name}"]`)];
export const chosen = (name) => desk().querySelector(`[name="${name}"]:checked`);

/** Leaves only the `allowed` values of a field to choose, and chooses an only one. */
function restrict(name, allowed) {
  for (const radio of radios(name)) {
    radio.disabled = !allowed.includes(radio.value);
    if (radio.disabled) radio.checked = false;
  }
  if (allowed.length === 1) radios(name).find((radio) => radio.value === allowed[0]).checked = true;
}

function followSpeechAct() {
  const act = desk().elements.speech_act?.selectedOptions[0];
  if (!act) return;
  const all = radios("claim_class").map((radio) => radio.value);
  restrict("claim_class", act.dataset.class ? [act.dataset.class] : all);
}

function followClass() {
  const stated = chosen("claim_class");
  const all = radios("verdict").map((radio) => radio.value);
  restrict("verdict", stated ? stated.dataset.verdicts.split(" ") : all);
  document.getElementById("verdict-note").textContent = note();
  const sources = document.getElementById("sources");
  if (sources && stated?.value === "external") sources.open = true;
}

function note() {
  const stated = chosen("claim_class");
  if (!stated) return "Which verdicts can be chosen depends on the class.";
  const allowed = stated.dataset.verdicts.split(" ").map(words);
  const name = words(stated.value);
  const takes = allowed.length === 1 ? `only ${allowed[0]}` : allowed.join(", ");
  return `${name[0].toUpperCase()}${name.slice(1)} takes ${takes}.`;
}

/** Why a choice that is off cannot be had. */
export function whyOff(radio) {
  if (radio.name === "verdict") return `Not ${words(radio.value)}. ${note()}`;
  const act = desk().elements.speech_act.value;
  return `Not ${words(radio.value)}: a ${words(act)} has a class of its own.`;
}

/** Brings the choices in step with what is chosen. */
export function settle() {
  followSpeechAct();
  followClass();
}

export function follow(input) {
  settle();
  if (input.name === "verdict") announce(`Verdict: ${words(input.value)}.`);
  else if (["speech_act", "claim_class"].includes(input.name)) announce(said());
}

function said() {
  const stated = chosen("claim_class");
  if (!stated) return note();
  const verdict = chosen("verdict");
  return `Class: ${words(stated.value)}. ${note()}${verdict ? ` Verdict: ${words(verdict.value)}.` : ""}`;
}
