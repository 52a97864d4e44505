"""The shelf of packs: built-in ones by name, a shop's own from one folder. A name from outside is never a path."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from gateway.jsonio import InputError
from planner.pack import BUILT_IN, Pack, load_pack

DEFAULT_PACK = "property"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class PackShelf:
    """Where packs are looked up; `folder` holds `<name>/pack.yaml` files that stand before the built-in ones."""

    folder: Path | None = None
    _loaded: dict[str, Pack] = field(default_factory=dict, repr=False, compare=False)

    def get(self, name: str | None) -> Pack:
        """Load a pack by name, the default for None.

        Raises InputError for a name that no pack has; PackError when the pack itself is broken.
        """
        wanted = name or DEFAULT_PACK
        if wanted not in self._loaded:  # a changed pack counts from the next start on
            self._loaded[wanted] = self._find(wanted)
        return self._loaded[wanted]

    def _find(self, wanted: str) -> Pack:
        return load_pack(self.file(wanted))

    def _file(self, name: str) -> Path | None:
        if not _NAME.fullmatch(name):
            return None
        folders = [*([self.folder] if self.folder else []), BUILT_IN]
        return next((file for folder in folders if (file := folder / name / "pack.yaml").is_file()), None)

    def file(self, name: str) -> Path:
        """Give the file that a name stands for: the shop's own before the built-in one. Raises InputError."""
        found = self._file(name)
        if found is None:
            raise InputError("pack", f"no pack is called {name[:60]!r}; there are {', '.join(self.names())}")
        return found

    def running(self, name: str) -> Pack | None:
        """Give the pack that judges now under a name, None while nothing has asked for it."""
        return self._loaded.get(name)

    def names(self) -> list[str]:
        """List all packs that can be used."""
        folders = [BUILT_IN, *([self.folder] if self.folder else [])]
        return sorted({path.parent.name for folder in folders for path in folder.glob("*/pack.yaml")})
