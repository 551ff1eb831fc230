"""`dev.py start` as a newcomer runs it, and the processes that it leads to."""

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.support.eventually import eventually
from tests.support.running import bare_environment
from tools.dev.child import Child
from tools.dev.paths import ROOT

CURL = r"curl -i http://localhost:(\d+)/api/fixits"
"""What it says once everything is there."""


def start(data: Path, *words: str, **env: str) -> Child:
    """It is starting, on free ports, with its data in this folder."""
    ports = ["--port", "0", "--storage-port", "0"]
    command = [sys.executable, str(ROOT / "dev.py"), "start", *ports, "--data", str(data), *words]
    return Child(command, env={**bare_environment(), **env})


def submit(port: str) -> int:
    """The status of a submit."""
    body = json.dumps({"title": "The lamp in room 4 is broken"}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/fixits", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return int(answer.status)


def descendants(pid: int) -> dict[int, str]:
    """The commands of all processes below one."""
    table = subprocess.run(["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in table.splitlines()]
    found: dict[int, str] = {}
    parents = {pid}
    while parents:
        children = {int(row[0]): row[2] for row in rows if int(row[1]) in parents}
        found |= children
        parents = set(children)
    return found


def only(commands: dict[int, str], pattern: str) -> int:
    """The one process whose command is like this, its leash apart."""
    (pid,) = (pid for pid, command in commands.items() if re.search(pattern, command) and "leash.py" not in command)
    return pid


def await_end(pids: dict[int, str]) -> None:
    """Return once none of these processes runs."""

    def left() -> list[str]:
        table = subprocess.run(
            ["ps", "-ww", "-eo", "pid=,stat=,args="], capture_output=True, text=True, check=True
        ).stdout
        rows = [line.split(None, 2) for line in table.splitlines()]
        return [row[2] for row in rows if int(row[0]) in pids and not row[1].startswith("Z")]

    eventually(lambda: not left(), what=f"the end of {left()}")
