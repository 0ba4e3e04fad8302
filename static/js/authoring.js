// Writing cases, made quicker: words selected in a passage become a quote, and leaving with
// unsaved text asks first. Everything here also works without it.

const form = document.querySelector("form.authoring");
let changed = form.querySelector("[name=checked]") !== null;
let selected = null;

form.addEventListener("input", () => { changed = true; });
form.addEventListener("submit", () => { changed = false; });
window.addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });

/** The passage that is selected in, with its id and the selected words; null elsewhere. */
function selectionIn(area) {
  const found = /^([ab])\.context\.\d+\.text$/.exec(area.name || "");
  if (!found || area.selectionStart === area.selectionEnd) return null;
  const id = form.elements.namedItem(area.name.replace(/text$/, "id"));
  return { side: found[1], passage: id.value, quote: area.value.slice(area.selectionStart, area.selectionEnd) };
}

document.addEventListener("selectionchange", () => {
  const area = document.activeElement;
  const now = area && area.tagName === "TEXTAREA" ? selectionIn(area) : null;
  if (now) selected = now;
});

function fill(at) {
  const side = at.slice(0, 1);
  const said = document.getElementById("announce");
  if (!selected || selected.side !== side) {
    said.textContent = "Select words in a passage of this side first.";
    return;
  }
  const values = { passage_id: selected.passage, source_id: "", quote: selected.quote, start: "" };
  for (const [name, value] of Object.entries(values)) form.elements.namedItem(`${at}.${name}`).value = value;
  changed = true;
  said.textContent = "The selected words are the quote now.";
}

for (const row of form.querySelectorAll("[data-quote]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet";
  button.textContent = "Quote what is selected";
  button.addEventListener("click", () => fill(row.dataset.quote));
  row.querySelector(":scope > p:last-child").prepend(button, " ");
}

// A browser passes over autofocus where the address names a place on the page.
document.querySelector("[autofocus]")?.focus();
