"""The calibration that holds in this gateway: thresholds with their provenance, kept among the settings and audited."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import delete

from gateway.calibration.choose import Calibration
from gateway.calibration.report import Provenance
from gateway.errors import Refused
from gateway.evaluate import Evaluated
from gateway.gate import BANDS
from gateway.jsonio import InputError
from gateway.packs import PackShelf
from gateway.tables import SettingRow
from gateway.tx import Tx, table_of
from planner.version import rules_version
from verifier.dimensions import THRESHOLDS, band_by, thresholds
from verifier.verdict import Judged

KEY = "calibration"


@dataclass(frozen=True, slots=True)
class Stored:
    """Thresholds and what they rest on. `rules`: the rulesVersion by pack under which they were made.

    `send_from`: the least band that auto and autopilot send, None where the calibration says nothing of it.
    `wrong_of_released` and `wrong_of_wrong`: (count, total, low, high) on the half that did not choose.
    """

    high: float
    middle: float
    send_from: str | None
    rules: Mapping[str, str]
    file: str
    sha256: str
    rows: int
    drafts: int
    most_wrong: float
    of: str
    wrong_of_released: tuple[float, ...]
    wrong_of_wrong: tuple[float, ...]
    made_at: str
    actor: str

    def record(self) -> dict[str, Any]:
        """Write it for the store and the audit."""
        return asdict(self)

    def fits(self, rules_version: str) -> bool:
        """Say whether it was made under these rules; under others it is outdated."""
        return rules_version in self.rules.values()


def stored_from(calibration: Calibration, provenance: Provenance, send_from: str | None, actor: str) -> Stored:
    """Make what is to be stored of a calibration. Raises Refused `no_threshold`, `unknown_band`."""
    high, measured = calibration.high.value, calibration.high.measured
    if high is None or measured is None:
        raise Refused("no_threshold", f"the file suggests no high threshold ({calibration.high.why}): nothing to apply")
    if send_from is not None and send_from not in BANDS:
        raise Refused("unknown_band", f"one of {', '.join(BANDS)}", field="send_from")
    low = calibration.low.value if calibration.low.value is not None else THRESHOLDS["middle"]
    shares = measured.wrong_of_released, measured.wrong_of_wrong
    released, wrong = ((float(s.count), float(s.total), *s.interval) for s in shares)
    return Stored(
        high=high,
        middle=min(low, high),
        send_from=send_from,
        rules=dict(provenance.rules),
        file=provenance.file,
        sha256=provenance.sha256,
        rows=calibration.rows,
        drafts=len(calibration.drafts),
        most_wrong=calibration.aim.most,
        of=str(calibration.aim.of),
        wrong_of_released=released,
        wrong_of_wrong=wrong,
        made_at=provenance.made_at.isoformat(timespec="seconds"),
        actor=actor,
    )


def load(tx: Tx) -> Stored | None:
    """Give the calibration that holds now, in every process."""
    row = tx.one(SettingRow, key=KEY)
    if row is None:
        return None
    shares = {name: tuple(row.value[name]) for name in ("wrong_of_released", "wrong_of_wrong")}
    return Stored(**(row.value | shares))


def save(tx: Tx, stored: Stored, actor: str) -> None:
    """Let a calibration hold from now on."""
    before = load(tx)
    given = {"value": stored.record(), "updated_at": tx.now}
    if not tx.change(SettingRow, {"key": KEY}, **given):
        tx.add(SettingRow, key=KEY, **given)
    detail = {"before": before.record() if before else {}, "after": stored.record()}
    tx.audit(actor, "calibration_applied", why=stored.file, detail=detail)


def forget(tx: Tx, actor: str) -> bool:
    """Go back to the packs' own thresholds; False where no calibration held."""
    before = load(tx)
    if before is None:
        return False
    table = table_of(SettingRow)
    tx.conn.execute(delete(table).where(table.c.key == KEY))
    tx.audit(actor, "calibration_forgotten", why=before.file, detail={"before": before.record(), "after": {}})
    return True


def rules_now(shelf: PackShelf, pack: str) -> str | None:
    """Give the rulesVersion that judges now under a pack's name; None for a name that no pack has any more."""
    try:
        return rules_version(shelf.get(pack))
    except InputError:
        return None


def outdated(stored: Stored, shelf: PackShelf) -> list[str]:
    """List the packs that judge by other rules now than when the calibration was made."""
    return [pack for pack, rules in stored.rules.items() if rules_now(shelf, pack) != rules]


def least_band(setting: str | None, stored: Stored | None) -> str | None:
    """Give the least band that may be sent: of the setting and the calibration the stricter one, outdated or not."""
    asked = [band for band in (setting, stored.send_from if stored else None) if band is not None]
    return max(asked, key=BANDS.index, default=None)


def banded(evaluated: Evaluated, stored: Stored | None) -> Evaluated:
    """Name a verdict's band by the calibration; nothing else of it changes.

    Under other rules than those it was made with (or a pack it never saw) the calibration loosens nothing: of its
    threshold and the pack's own the higher one counts.
    """
    verdict = evaluated.verdict
    if stored is None or not isinstance(verdict, Judged) or verdict.confidence is None:
        return evaluated
    limits: Mapping[str, float] = {"high": stored.high, "middle": stored.middle}
    if not stored.fits(verdict.rules_version):
        own = thresholds(evaluated.reading.pack)
        limits = {name: max(least, own[name]) for name, least in limits.items()}
    return replace(evaluated, verdict=replace(verdict, band=band_by(limits, verdict.confidence)))
