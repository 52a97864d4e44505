"""The files and the document of a deployment: they parse, name what there is, and the partitions work."""

import configparser
import re
import shlex

import pytest
import yaml
from sqlalchemy import text
from typer.testing import CliRunner

from gateway import migrate
from gateway.cli import app
from gateway.packs import PackShelf
from gateway.settings import Settings
from gateway.store import TRIES, Store
from gateway.tables import AuditRow
from gateway.tx import Tx
from outbound.wecom.settings import WeComSettings
from tests.docs.conftest import ROOT
from tests.gateway.conftest import postgres  # noqa: F401  # the database of the gateway's tests
from tests.gateway.desk import NOW

DEPLOY = ROOT / "deploy"
DOCUMENT = (ROOT / "docs" / "deployment.md").read_text("utf-8")
KNOWN = {f"DRAFTGATE_{name.upper()}" for name in Settings.model_fields}


def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


def test_the_compose_file_names_real_settings_and_files():
    """Two services that wait for each other; every setting exists; the image can be built from what is there."""
    services = compose()["services"]
    assert set(services) == {"database", "gateway"}
    assert set(services["gateway"]["environment"]) <= KNOWN
    assert services["gateway"]["depends_on"]["database"]["condition"] == "service_healthy"
    build = services["gateway"]["build"]
    context = (DEPLOY / build["context"]).resolve()
    assert context == ROOT and (context / build["dockerfile"]).is_file()
    copied = (DEPLOY / "Dockerfile").read_text("utf-8")
    assert "requirements.txt" in copied and (ROOT / "requirements.txt").is_file()


@pytest.mark.parametrize("where", ["compose", "unit", "image"])
def test_what_is_started_can_be_started(where):
    """The command and its options are the program's."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(DEPLOY / "draftgate.service")
    image = re.search(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text("utf-8"), re.MULTILINE)[1]
    command = {
        "compose": compose()["services"]["gateway"]["command"],
        "unit": shlex.split(unit["Service"]["ExecStart"]),
        "image": yaml.safe_load(image),
    }[where]
    assert command[0].endswith("draftgate")
    told = CliRunner().invoke(app, [command[1], "--help"])
    assert told.exit_code == 0
    words = re.sub(r"\x1b\[[0-9;]*m", "", told.stdout)
    assert all(option in words for option in command[2:] if option.startswith("--"))


def test_the_document_names_real_settings_and_numbers():
    """Settings exist and the numbers are the code's."""
    assert set(re.findall(r"DRAFTGATE_[A-Z_]+", DOCUMENT)) <= KNOWN
    settings = Settings()
    assert f"`DRAFTGATE_COURIERS` ({settings.couriers})" in DOCUMENT
    assert f"`DRAFTGATE_PERMIT_SECONDS`, {settings.permit_seconds})" in DOCUMENT
    assert {6: "up to six times"}[TRIES] in DOCUMENT
    assert f"{WeComSettings('c', 's').calls_per_minute:,} a minute" in DOCUMENT
    pool = Store("postgresql+psycopg://nobody@127.0.0.1:1/none")  # connects to nothing until it is asked
    most = pool.engine.pool.size() + pool.engine.pool._max_overflow
    pool.close()
    assert f"up to {most} for each process" in DOCUMENT


def test_the_partitions_take_the_rows(postgres):  # noqa: F811  # pytest's way
    """After the script the old rows are there, new ones go to their month, and the next start goes on."""
    store = Store(Settings(database_url=postgres).database_url)
    store.write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    migrate.upgrade(store.engine)

    def add(at):
        store.write(lambda c: Tx(c, at, Settings(), PackShelf()).audit("t", "tried", why=str(at)))

    add(NOW)
    script = re.sub(r"^(BEGIN|COMMIT);$", "", (DEPLOY / "partition_audit.sql").read_text("utf-8"), flags=re.MULTILINE)
    store.write(lambda c: c.exec_driver_sql(script))
    add(NOW.replace(year=2027, month=1, day=5))
    add(NOW.replace(year=2031))
    counts = store.read(
        lambda c: c.execute(text("SELECT tableoid::regclass::text, count(*) FROM audit GROUP BY 1 ORDER BY 1")).all()
    )
    assert [tuple(row) for row in counts] == [("audit_2027_01", 1), ("audit_before", 2)]
    seqs = store.read(lambda c: c.execute(AuditRow.__table__.select()).all())
    assert len({row.seq for row in seqs}) == 3
    migrate.upgrade(store.engine)
    store.close()
