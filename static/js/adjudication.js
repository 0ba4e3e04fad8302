// Deciding, made quicker: a letter takes that annotator's label, Enter decides. The buttons that
// these keys press are all on the page.

const writing = "textarea, select, input:not([type=radio]):not([type=checkbox])";
const pressed = "a, button, summary";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (event.target.closest(writing)) return;
  if (event.key === "Enter") {
    const decide = document.querySelector(".decide");
    if (!decide || event.target.closest(pressed)) return;
    event.preventDefault();
    decide.click();
    return;
  }
  const letter = event.key.toUpperCase();
  const take = [...document.querySelectorAll("[data-letter]")].find((one) => one.dataset.letter === letter);
  if (take) take.click();
});

document.getElementById("errors")?.focus();
