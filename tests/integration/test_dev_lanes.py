"""`dev.py start --lanes`: intake and each lane in processes of their own, and what the loss of one of them costs."""

import os
import re
import signal
import socket
import sys
from pathlib import Path

import pytest

from tests.support.dev_start import CURL, await_end, descendants, only, start
from tests.support.fixit_client import FixItClient
from tests.support.lanes import spread
from tools.dev.child import Child
from tools.dev.lanes import Lanes

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals and ps"),
]


def heads(child: Child, pattern: str) -> set[str]:
    """The first words of the lines that match."""
    return {line.split()[0] for line in child.lines() if re.search(pattern, line)}


def test_every_lane_works_in_a_process_of_its_own_and_the_loss_of_an_account_stops_no_intake(tmp_path: Path) -> None:
    lanes = Lanes(accounts=2, queues=2)
    child = start(tmp_path, "--lanes", "2x2")
    try:
        client = FixItClient(f"http://127.0.0.1:{child.wait_line(CURL, 90)[1]}")
        child.wait_line(r"^  kill \d+", 10)
        ours = child.lines()[child.lines().index("Ready; Ctrl-C stops everything. The hosts:") :]
        assert [line for line in ours if len(line) > 100 and str(tmp_path) not in line] == []
        running = descendants(child.pid)
        assert len([command for command in running.values() if "leash.py" not in command]) == 2 + 1 + 4
        assert {folder.name for folder in tmp_path.iterdir()} == {"FixItStorage", "FixItStorage2"}

        for receipt in [client.submit(key)["receipt"] for key in spread(lanes.settings["FIXIT_LANES"], each=3)]:
            assert client.settled(receipt)["state"] == "succeeded"
        assert heads(child, r"Executed 'Functions\.record\w*[^']*' \(Succeeded") == {
            lane.short_name for lane in lanes.each
        }

        os.kill(only(running, "azurite.js .*FixItStorage2 "), signal.SIGTERM)
        child.wait_line(r"^dev\.py: Account FixItStorage2 ended: ", 30)
        child.wait_line(r"^dev\.py: Starting it again in 40 s\.", 30)
        for key in spread(lanes.settings["FIXIT_LANES"], each=2, prefix="later"):
            assert client.settled(client.submit(key)["receipt"])["state"] == "succeeded"

        os.kill(only(running, "--functions record_FixItStorage_fixits-2 "), signal.SIGKILL)
        child.wait_line(r"^dev\.py: Lane 1/fixits-2 ended: exit status 137; ", 30)
        child.wait_line(r"^dev\.py: Lane 1/fixits-2 runs again, process \d+\.", 60)
        running |= descendants(child.pid)
    finally:
        status = child.stop(60)
    assert status == 0
    assert child.lines()[-1] == "dev.py: Stopped."
    await_end(running)


def test_taken_port_of_a_further_account_is_told_in_one_line_and_nothing_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        child = start(tmp_path, "--lanes", "2x1", "--storage-port", str(taken - 12))
        assert child.wait(60) == 1
    (line,) = child.lines()
    found = re.match(r"dev\.py: Port (\d+) \(the storage emulator\) is taken", line)
    assert found
    assert int(found[1]) in range(taken - 12, taken + 1)  # on a busy machine one of those before it may be, too
    assert list(tmp_path.iterdir()) == []


# A stand-in for the program alone: it shows how it is called, and says what Core Tools say when they are ready.
FUNC = f"""#!{sys.executable}
import os, sys, time
env = os.environ
off = sorted(name for name in env if name.endswith(".Disabled"))
print("called:", *sys.argv[1:], "lanes:", env["FIXIT_LANES"], "id:", env["AzureFunctionsWebHost__hostid"], "off:", *off)
print("one account:", env["AzureWebJobsStorage"] == env["FixItStorage"])
print("[now] Host lock lease acquired by instance ID 1.", flush=True)
time.sleep(60)
"""


def test_core_tools_get_the_functions_of_each_lane_and_the_settings_of_all(tmp_path: Path) -> None:
    func = tmp_path / "bin" / "func"
    func.parent.mkdir()
    func.write_text(FUNC)
    func.chmod(0o755)
    path = f"{func.parent}{os.pathsep}{os.environ['PATH']}"
    child = start(tmp_path / "data", "--lanes", "1x2", "--host", "func", "--keys", PATH=path)
    try:
        port = child.wait_line(CURL, 60)[1]
        called = dict(re.split(r" +called: ", line) for line in child.lines() if " called: " in line)
        lanes = "lanes: FixItStorage/fixits,FixItStorage/fixits-2"
        first, second = "record", "record_FixItStorage_fixits-2"
        names = (first, second, f"{second}_poison", f"{first}_poison")
        off = " ".join(f"AzureWebJobs.{name}.Disabled" for name in names)
        assert called.pop("intake") == f"start --enableAuth --port {port} {lanes} id: fixit-intake off: {off}"
        assert {name: re.sub(r"--port \d+", "--port N", words) for name, words in called.items()} == {
            name: f"start --functions {function} {function}_poison --enableAuth --port N {lanes} id: {host_id} off:"
            for name, function, host_id in (
                ("1/fixits", first, "fixit-1-fixits"),
                ("1/fixits-2", second, "fixit-1-fixits-2"),
            )
        }
        assert len(heads(child, "one account: True")) == 3
    finally:
        assert child.stop(60) == 0
