"""Business packs: data files that hold every word of a trade, checked once when they are loaded.

A pack is a YAML file. Its `include` list names other YAML (or JSON) files beside it, which are merged first: mappings key by key,
lists end to end. Every top-level key is a section; the module that reads a section gives its row model to
`Pack.rows`. A row carries an example that it must match and a counter-example that it must not.
"""

import functools
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

BUILT_IN = Path(__file__).parent / "packs"
MAX_FILE = 2_000_000
_MANY = 6


class PackError(ValueError):
    """A pack cannot be used; the message names the file and the place."""


class Row(BaseModel):
    """One rule as data: it matches a clause that contains one of `words` or `pattern`, unless `unless` matches too.

    `words` are literal (a Latin word only as a whole word), `pattern` and `unless` are regular expressions over
    normalised text (lower case, simplified). `{name}` in them stands for any word of the pack's term of that name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: str
    words: tuple[str, ...] = ()
    pattern: str = ""
    unless: str = ""
    example: str = ""
    counter: str = ""

    @functools.cached_property
    def source(self) -> str:
        """The regular expression of `words` and `pattern` together; empty when the row has neither."""
        parts = [any_of(self.words)] if self.words else []
        return "|".join([*parts, self.pattern] if self.pattern else parts)

    @functools.cached_property
    def _compiled(self) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
        hit = re.compile(self.source) if self.source else None
        return hit, re.compile(self.unless) if self.unless else None

    def search(self, norm: str) -> re.Match[str] | None:
        """Find the row's words in a normalised text, or None."""
        hit, unless = self._compiled
        found = hit.search(norm) if hit else None
        if found is None or (unless is not None and unless.search(norm)):
            return None
        return found


def any_of(words: Sequence[str]) -> str:
    """Write literal words as one alternation, the longest first; Latin words match whole words only."""
    ordered = sorted(dict.fromkeys(words), key=lambda word: -len(word))
    heads = "".join(re.escape(head) for head in sorted({word[0] for word in ordered if word}))
    # One look at the next character spares a long list of words being tried one by one.
    peek = f"(?=[{heads}])" if len(ordered) > _MANY and all(ordered) else ""
    return f"(?:{peek}(?:" + "|".join(_literal(word) for word in ordered) + "))"


def _literal(word: str) -> str:
    before = "(?<![a-z])" if word[:1].isascii() and word[:1].isalpha() else ""
    after = "(?![a-z])" if word[-1:].isascii() and word[-1:].isalpha() else ""
    return before + re.escape(word) + after


R = TypeVar("R", bound=BaseModel)
D = TypeVar("D")
_TERM = re.compile(r"(?<!\\)\{([a-z][a-z_]*)\}")
_PATTERNS = ("pattern", "unless", "given", "answer")


@dataclass(frozen=True, eq=False)
class Pack:
    """A checked business pack; `digest` changes whenever any of its data changes."""

    name: str
    sections: Mapping[str, Any]
    digest: str
    _rows: dict[tuple[str, type[BaseModel]], tuple[BaseModel, ...]] = field(default_factory=dict, repr=False)
    _derived: dict[Callable[["Pack"], Any], Any] = field(default_factory=dict, repr=False)

    def rows(self, section: str, model: type[R]) -> tuple[R, ...]:
        """Give a section's list as typed rows; an absent section is empty.

        Raises PackError that names the section, the row and the field.
        """
        key = (section, model)
        if key not in self._rows:
            self._rows[key] = tuple(self._parse(section, model))
        return self._rows[key]  # type: ignore[return-value]  # the key holds the type

    def derive(self, build: Callable[["Pack"], D]) -> D:
        """Build something from this pack once and keep it; the key is the function itself."""
        if build not in self._derived:
            self._derived[build] = build(self)
        return self._derived[build]  # type: ignore[no-any-return]  # the key holds the type

    def expand(self, pattern: str) -> str:
        """Write out the names in a pattern.

        `{name}` becomes any of the words of section `terms`, or the regular expression of section `fragments`, of
        that name. Raises PackError when the pack has neither.
        """
        return _TERM.sub(lambda match: self._named(match[1]), pattern)

    def _named(self, name: str) -> str:
        fragment = (self.sections.get("fragments") or {}).get(name)
        if isinstance(fragment, str):
            return f"(?:{self.expand(fragment)})"
        words = (self.sections.get("terms") or {}).get(name)
        if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
            raise PackError(f"pack {self.name}: terms.{name}: a pattern uses it, so it must be a list of words")
        return any_of(words)

    def _parse(self, section: str, model: type[R]) -> list[R]:
        data = self.sections.get(section) or []
        if not isinstance(data, list):
            raise PackError(f"pack {self.name}: section {section} must be a list of rows")
        parsed = []
        for number, row in enumerate(data, 1):
            try:
                parsed.append(model.model_validate(self.expanded(row), strict=False))
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(str(part) for part in first["loc"])
                name = row.get("id", number) if isinstance(row, dict) else number
                raise PackError(f"pack {self.name}: {section}[{name}].{where}: {first['msg']}") from error
        return parsed

    def expanded(self, row: Any) -> Any:
        """Write out the terms in the patterns of a raw row."""
        if not isinstance(row, dict):
            return row
        return {k: self.expand(v) if k in _PATTERNS and isinstance(v, str) else v for k, v in row.items()}


def load_pack(source: str | Path) -> Pack:
    """Load a built-in pack by name (`property`, `used_car`) or any pack by its file.

    Raises PackError when the file is missing, no YAML, or includes itself.
    """
    path = Path(source)
    if isinstance(source, str) and re.fullmatch(r"[a-z][a-z0-9_]*", source):
        path = BUILT_IN / source / "pack.yaml"
    return _load(path.resolve())


def read_pack(path: Path) -> Pack:
    """Load a pack's file as it is on disk now, past what was loaded before. Raises PackError as `load_pack` does."""
    return _load.__wrapped__(path.resolve())


@functools.lru_cache(maxsize=32)
def _load(path: Path) -> Pack:
    digest = hashlib.sha256()
    sections = _merge_file(path, digest, ())
    name = sections.get("name")
    if not isinstance(name, str) or not name:
        raise PackError(f"{path}: name: every pack needs a name")
    return Pack(name, sections, digest.hexdigest()[:12])


def _merge_file(path: Path, digest: "hashlib._Hash", above: tuple[Path, ...]) -> dict[str, Any]:
    if path in above:
        raise PackError(f"{path}: include: the file includes itself")
    try:
        raw = path.read_bytes()[: MAX_FILE + 1]
    except OSError as error:
        raise PackError(f"{path}: cannot be read: {error.strerror}") from error
    if len(raw) > MAX_FILE:
        raise PackError(f"{path}: larger than {MAX_FILE} bytes")
    digest.update(raw)
    try:
        data = _parsed(path.suffix, raw)
    except (yaml.YAMLError, json.JSONDecodeError) as error:
        raise PackError(f"{path}: no valid {path.suffix[1:].upper()}: {error}") from error
    if not isinstance(data, dict):
        raise PackError(f"{path}: a pack is a mapping of sections")
    merged: dict[str, Any] = {}
    for name in data.get("include") or []:
        merged = _merge(merged, _merge_file((path.parent / str(name)).resolve(), digest, (*above, path)))
    whole: dict[str, Any] = _merge(merged, {key: value for key, value in data.items() if key != "include"})
    return whole


@functools.lru_cache(maxsize=64)  # packs share most of their files; nobody changes what was read
def _parsed(suffix: str, raw: bytes) -> Any:
    if suffix == ".json":
        return json.loads(raw)
    return yaml.load(raw, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  # both are safe loaders


def _merge(base: Any, more: Any) -> Any:
    if isinstance(base, dict) and isinstance(more, dict):
        return {
            key: _merge(base[key], more[key]) if key in base and key in more else base.get(key, more.get(key))
            for key in [*base, *(k for k in more if k not in base)]
        }
    if isinstance(base, list) and isinstance(more, list):
        return [*base, *more]
    return more
