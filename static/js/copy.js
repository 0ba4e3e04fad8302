// A read-only field with `data-copy` gets a button that copies it. Without a script, or where the
// browser refuses, the text is there to be selected.
"use strict";

(function () {
  async function copy(field, button) {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      button.textContent = "Selected: copy it with the keyboard";
      return;
    }
    button.textContent = "Copied";
    document.getElementById("announce").textContent = "Copied";
  }

  for (const field of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => copy(field, button));
    field.addEventListener("focus", () => field.select());
    field.after(button);
  }
})();
