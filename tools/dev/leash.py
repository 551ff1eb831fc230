"""Runs a command that ends when whoever started it does.   python leash.py GRACE COMMAND...

The starter holds the other end of our standard input. When that closes, for whatever reason (the starter stopped us,
crashed, or was killed), the command is asked to end, and is killed with all its children after GRACE seconds. Until
then a byte on the pipe asks (`t`) or kills (`k`). The command and its children have a process group of their own, so
that Ctrl-C in a terminal reaches the starter alone, which can then end things in order. Our exit status is the
command's, or 128 + the signal that ended it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading

WINDOWS = sys.platform == "win32"


def start(command: list[str]) -> subprocess.Popen[bytes]:
    """The command, in a process group of its own, with our output as its output."""
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, creationflags=flags)
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)


def ask(child: subprocess.Popen[bytes]) -> None:
    """Ask the command to end, as Ctrl-C or a service manager would."""
    if sys.platform == "win32":
        child.send_signal(signal.CTRL_BREAK_EVENT)
    else:
        child.send_signal(signal.SIGTERM)


def kill(child: subprocess.Popen[bytes]) -> None:
    """End the command and what it started, now."""
    if sys.platform == "win32":
        taskkill = ["taskkill", "/T", "/F", "/PID", str(child.pid)]
        subprocess.run(taskkill, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return
    # Nobody may be left; macOS says PermissionError of a group of zombies.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def obey(child: subprocess.Popen[bytes], grace: float) -> None:
    """Do what the starter says, until it is gone."""
    while order := os.read(0, 1):
        if order == b"k":
            kill(child)
        else:
            ask(child)
    ask(child)
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        kill(child)


def main() -> int:
    """Run the command to its end; its exit status."""
    grace, command = float(sys.argv[1]), sys.argv[2:]
    try:
        child = start(command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", flush=True)
        return 127
    print(f"leash: pid {child.pid}", flush=True)
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: ask(child))
    threading.Thread(target=obey, args=(child, grace), daemon=True).start()
    status = child.wait()
    if not WINDOWS:
        kill(child)  # what it left behind in its group; on Windows the number may be another's by now
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
