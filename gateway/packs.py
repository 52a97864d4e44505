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
        if not _NAME.fullmatch(wanted):
            raise InputError("pack", f"no pack is called {wanted[:60]!r}")
        own = self.folder / wanted / "pack.yaml" if self.folder else None
        if own is not None and own.is_file():
            return load_pack(own)
        if not (BUILT_IN / wanted / "pack.yaml").is_file():
            raise InputError("pack", f"no pack is called {wanted!r}; there are {', '.join(self.names())}")
        return load_pack(wanted)

    def names(self) -> list[str]:
        """List all packs that can be used."""
        folders = [BUILT_IN, *([self.folder] if self.folder else [])]
        return sorted({path.parent.name for folder in folders for path in folder.glob("*/pack.yaml")})
