// An answer tied to its sources: what the pointer or the keyboard is on lights up all that belongs to
// the same claim. The links between them work without this.

const marks = [...document.querySelectorAll("[data-claims]")];
const names = (mark) => mark.dataset.claims.split(" ");

function light(event) {
  const at = event.target.closest("[data-claims]");
  const wanted = new Set(at ? names(at) : []);
  for (const mark of marks) mark.classList.toggle("lit", names(mark).some((name) => wanted.has(name)));
}

document.addEventListener("pointerover", light);
document.addEventListener("focusin", light);
