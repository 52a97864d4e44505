"""Play the demo and print one table: what came in, what was tagged, what was decided and why, what was delivered."""

import secrets
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.progress import track
from rich.table import Table

from gateway import people
from gateway.demo.agent import ExampleAgent
from gateway.demo.scenes import Scene, load_scenes
from gateway.server import Running, build_service, sqlite_url
from gateway.service import Service
from gateway.settings import load_settings
from outbound.simulator.run import Running as SimulatorRunning
from outbound.simulator.run import serve as serve_simulator
from outbound.simulator.world import CORP_ID, SECRET

ACCOUNTS = {"homes": ("wk_homes", "property", "auto"), "cars": ("wk_cars", "used_car", "autopilot")}
OPERATOR = "operator"


@dataclass(frozen=True)
class Played:
    """How a scene ended, beside how it should."""

    scene: Scene
    draft: dict[str, Any]
    arrived: tuple[str, ...]
    session: int

    @property
    def tags(self) -> list[str]:
        """The tagged scenarios with their levels."""
        return [f"{r['scenario']}/{r['level']}" for r in self.draft["risks"]]

    @property
    def as_expected(self) -> bool:
        """Whether everything is as the scene says."""
        expect = self.scene.expect
        return (
            self.draft["state"] == expect.state
            and self.draft["fallbackReason"] == expect.fallback
            and self.draft["rewriteCount"] == expect.rewrites
            and len(self.arrived) == expect.delivered
            and expect.session in (None, self.session)
            and {r["scenario"] for r in self.draft["risks"]} == set(expect.scenarios)
            and set(expect.holds) <= set(self.draft["holdReasons"])
        )


class Demo:
    """A simulated WeCom and a gateway on a temporary SQLite file; `play` gives the ended scenes."""

    def __init__(self, folder: Path, simulator: SimulatorRunning, port: int = 0) -> None:
        settings = load_settings(
            database_url=sqlite_url(folder),
            wecom_api_base=simulator.api_base,
            wecom_corp_id=CORP_ID,
            wecom_secret=SECRET,
            tick_seconds=0.1,
            poll_seconds=0.2,
            debounce_seconds=0,
        )
        self.simulator = simulator
        self.service: Service = build_service(settings)
        self.password = secrets.token_urlsafe(9)
        self.agent_key, self.operator_key = self._prepare()
        self.running = Running(self.service, port)

    def play(self, scenes: tuple[Scene, ...]) -> list[Played]:
        """Let every customer write, let the agent answer, let the operator decide; gives how each turn ended."""
        with httpx2.Client(base_url=self.running.url, headers=_key(self.agent_key), timeout=30) as client:
            agent = ExampleAgent(client, scenes)
            return [self._play(scene, agent, client) for scene in track(scenes, "客户来话 playing", transient=True)]

    def _play(self, scene: Scene, agent: ExampleAgent, client: httpx2.Client) -> Played:
        account = ACCOUNTS[scene.account][0]
        people_there = self.simulator.simulator.people
        people_there.says(scene.recipient, scene.customer, account)
        item, talk = self._asked(client, scene)
        if scene.meanwhile is not None:
            people_there.says(scene.recipient, scene.meanwhile, account)
            self._until(lambda: len(self._talk(client, talk["id"])["messages"]) > len(talk["messages"]))
            answer = agent.late(scene, talk, item["id"])
        else:
            answer = agent.work()[scene.id]
        self._operator(scene, answer, self._talk(client, talk["id"]))
        draft = self._settled(client, answer["draftId"], scene)
        bubbles = self.simulator.simulator.world.arrived(scene.recipient, account)
        state = self.simulator.simulator.world.talk(account, scene.recipient).state
        return Played(scene, draft, tuple(bubbles), int(state))

    def _asked(self, client: httpx2.Client, scene: Scene) -> tuple[dict[str, Any], dict[str, Any]]:
        found: list[tuple[dict[str, Any], dict[str, Any]]] = []

        def look() -> bool:
            for item in client.get("/v1/inbox").raise_for_status().json()["items"]:
                talk = self._talk(client, item["conversationId"])
                if talk["recipient"] == scene.recipient:
                    found.append((item, talk))
            return bool(found)

        self._until(look)
        return found[0]

    def _operator(self, scene: Scene, answer: dict[str, Any], talk: dict[str, Any]) -> None:
        with httpx2.Client(base_url=self.running.url, headers=_key(self.operator_key), timeout=30) as client:
            if scene.operator == "approve":
                draft = client.get(f"/v1/drafts/{answer['draftId']}").raise_for_status().json()
                order = {
                    "version": draft["version"],
                    "textSha256": draft["textSha256"],
                    "lastSeenMessageId": talk["newestMessageId"],
                }
                client.post(f"/v1/drafts/{answer['draftId']}/approve", json=order).raise_for_status()
            elif scene.operator == "write":
                order = {
                    "text": scene.words,
                    "clientRequestId": f"demo-{scene.id}",
                    "lastSeenMessageId": talk["newestMessageId"],
                }
                client.post(f"/v1/conversations/{talk['id']}/manual-send", json=order).raise_for_status()

    def _settled(self, client: httpx2.Client, draft_id: str, scene: Scene) -> dict[str, Any]:
        draft: dict[str, Any] = {}

        def look() -> bool:
            draft.update(client.get(f"/v1/drafts/{draft_id}").raise_for_status().json())
            count = len(self.simulator.simulator.world.arrived(scene.recipient))
            return draft["state"] not in ("queued", "sending", "approved") and count >= scene.expect.delivered

        self._until(look, patience=8.0)
        return draft

    def _talk(self, client: httpx2.Client, conversation_id: str) -> dict[str, Any]:
        return dict(client.get(f"/v1/conversations/{conversation_id}").raise_for_status().json())

    def _until(self, look: Any, patience: float = 15.0) -> None:
        end = time.monotonic() + patience
        while not look() and time.monotonic() < end:
            time.sleep(0.05)

    def _prepare(self) -> tuple[str, str]:
        for account, _, _ in ACCOUNTS.values():
            self.simulator.simulator.people.open_account(account)
            self.simulator.simulator.people.sets_status("servicer_lin", receiving=True, account=account)
        hashed = people.hash_password(self.password)

        def job(tx: Any) -> tuple[str, str]:
            for name, (account, pack, mode) in ACCOUNTS.items():
                people.add_account(
                    tx,
                    account_id=name,
                    name=name,
                    actor="demo",
                    mode=mode,
                    pack=pack,
                    channel_account=account,
                    allowlist=["*"],
                )
            people.add_operator(
                tx, operator_id=OPERATOR, name="演示管理员", password_hash=hashed, role="admin", actor="demo"
            )
            agent = people.add_key(tx, name="demo-agent", scopes=["agent", "channel"], actor="demo")[1]
            return agent, people.add_key(tx, name="demo-desk", scopes=["operator", "agent"], actor="demo")[1]

        return self.service.run(job)


def run_demo(*, once: bool, port: int = 8080) -> int:
    """Play and print; with `once` end with 0 only if every turn ended as expected, else keep serving."""
    console = Console(width=None if sys.stdout.isatty() else 140)
    scenes = load_scenes()
    with tempfile.TemporaryDirectory(prefix="draftgate-demo-") as folder, serve_simulator() as simulator:
        demo = Demo(Path(folder), simulator, 0 if once else _free(port))
        with demo.running:
            played = demo.play(scenes)
            console.print(table_of(played))
            right = sum(p.as_expected for p in played)
            console.print(f"{right}/{len(played)} 如预期 as expected")
            if not once:
                _invite(console, demo)
                demo.running.wait()
    return 0 if right == len(played) else 1


def table_of(played: list[Played]) -> Table:
    """Draw the table."""
    table = Table(title="draftgate 演示 · what came in, what was decided, what was delivered", show_lines=True)
    for column in (
        "客户来话 came in",
        "标记 tagged",
        "智能体草稿 draft",
        "决定与原因 decided, why",
        "送达 delivered",
        "",
    ):
        table.add_column(column, overflow="fold")
    for p in played:
        d = p.draft
        failed = ", ".join(d["failedCheckIds"]) if d["state"] == "held" else ""
        why = " · ".join(
            x
            for x in (
                d["state"],
                d["fallbackReason"],
                *d["holdReasons"],
                failed,
                "改写 rewritten" if d["rewriteCount"] else "",
            )
            if x
        )
        table.add_row(
            p.scene.customer,
            "\n".join(p.tags) or "–",
            p.scene.draft["text"],
            why,
            "\n".join(p.arrived) or "–",
            "[green]✓[/]" if p.as_expected else "[red]✗[/]",
        )
    return table


def _invite(console: Console, demo: Demo) -> None:
    console.print(f"\n网页 web view   {demo.running.url}\n登录 sign in   {OPERATOR} / {demo.password}")
    console.print(f"模拟企微 simulated WeCom   {demo.simulator.url}\n按 Ctrl-C 结束 ends it")


def _free(port: int) -> int:
    import socket

    with socket.socket() as probe:
        return port if probe.connect_ex(("127.0.0.1", port)) else 0


def _key(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}
