"""The catalogues: every word that an operator reads, in Chinese and in English.

A catalogue is a YAML file of nested names; `draft.approve` is the word `approve` under `draft`. Both files hold the
same names and the same `{values}`; a test guards that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "words"
CODES = ("zh", "en")
_REASONS = ("hold", "fallback", "decision")
HTML_NAMES = {"zh": "zh-CN", "en": "en"}


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its code and its words by dotted name."""

    code: str
    words: Mapping[str, str]

    def say(self, key: str, **values: object) -> str:
        """Give a text with its values put in. Raises KeyError for a name that the catalogue lacks."""
        return self.words[key].format_map(values) if values else self.words[key]

    def name(self, kind: str, code: object) -> str:
        """Give the word for a code of the record (a state, a check, a reason); an unknown code names itself."""
        return self.words.get(f"{kind}.{code}", str(code))

    def first(self, *keys: str) -> str:
        """Give the word of the first key that the catalogue has. Raises KeyError if it has none."""
        return self.words[next((key for key in keys if key in self.words), keys[-1])]

    def why(self, text: str) -> str:
        """Say a recorded reason: a whole sentence or a list of codes; what the catalogue lacks stays as it is."""
        if f"why.{text}" in self.words:
            return self.words[f"why.{text}"]
        codes = text.removeprefix("not sent: ").split(", ")
        words = [next((self.words[k] for kind in _REASONS if (k := f"{kind}.{c}") in self.words), None) for c in codes]
        return " · ".join(str(word) for word in words) if all(words) else text

    def codes(self, kind: str) -> list[tuple[str, str]]:
        """List the codes of a kind with their words, in the catalogue's order."""
        prefix = f"{kind}."
        return [(key.removeprefix(prefix), word) for key, word in self.words.items() if key.startswith(prefix)]

    def knows(self, key: str) -> bool:
        """Say whether the catalogue has this name."""
        return key in self.words


@cache
def language(code: str) -> Language:
    """Load a language by its code."""
    raw = yaml.safe_load((FOLDER / f"{code}.yaml").read_text(encoding="utf-8"))
    return Language(code, dict(_flat(raw, "")))


def choose(wanted: str | None, kept: str | None, accepted: str) -> Language:
    """Choose by the link that was followed, else by the cookie, else by the browser; Chinese first."""
    for code in (wanted, kept):
        if code in CODES:
            return language(str(code))
    tags = [part.split(";")[0].strip().lower()[:2] for part in accepted[:200].split(",")]
    return language(next((tag for tag in tags if tag in CODES), "zh"))


def _flat(node: Any, prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in node.items():
        path = f"{prefix}.{name}" if prefix else str(name)
        found.extend(_flat(value, path) if isinstance(value, dict) else [(path, str(value))])
    return found
