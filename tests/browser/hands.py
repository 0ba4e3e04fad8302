"""An annotator with both hands on the keyboard, for tests of the desk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

SAVE = "Control+Enter"
_SELECTED = "document.getSelection().toString()"


def until(page: Page, condition: str) -> None:
    """Playwright's own wait evaluates text inside the page, which the page's policy forbids."""
    for _ in range(500):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never came true: {condition}")


@dataclass
class Hands:
    """Presses keys, and counts those that are not part of what is written."""

    page: Page
    pressed: list[str] = field(default_factory=list)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.pressed.append(key)

    def write(self, text: str) -> None:
        """Into the text box that has the focus, as typing or an input method would."""
        assert self.page.evaluate("document.activeElement.matches('textarea, input')")
        self.page.keyboard.insert_text(text)

    def go_to_sentence(self, number: int) -> None:
        """From the first sentence, where the cursor begins, to that one (the first is 0)."""
        self.press(*["j"] * number)

    def choose_words(self, words: str) -> None:
        """From the first word of the sentence at the cursor to these, and add them."""
        self.press("v")
        onward = self._onward()
        while not self._covers(words):
            self.press(onward)
        while self.selected() != words:
            self.press(f"Shift+{onward}")
        self.press("Enter", "Escape")

    def _onward(self) -> str:
        turned = self.page.evaluate(
            "getComputedStyle(document.querySelector('.at-cursor .words')).direction"
        )
        return "ArrowLeft" if turned == "rtl" else "ArrowRight"

    def _covers(self, words: str) -> bool:
        selected = self.selected()
        assert selected, "went past the words"
        return words.startswith(selected)

    def selected(self) -> str:
        return str(self.page.evaluate(_SELECTED))

    @contextmanager
    def counting(self) -> Iterator[list[str]]:
        """The keys that are pressed meanwhile."""
        before = self.pressed
        self.pressed = []
        yield self.pressed
        self.pressed = [*before, *self.pressed]


def at(page: Page) -> str:
    """The key of the statement on screen."""
    return str(page.evaluate("document.querySelector('#desk [name=statement]').value"))


def saved(page: Page, before: str) -> None:
    """Until another statement, or the end of the queue, is shown and the label is stored."""
    until(page, f"document.querySelector('#desk [name=statement]')?.value !== {before!r}")


def announced(page: Page, said: str) -> None:
    until(page, f"document.getElementById('announce').textContent.includes({said!r})")
