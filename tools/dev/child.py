"""A process of ours that cannot outlive us, and whose output is kept line by line."""

import re
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

LEASH = Path(__file__).with_name("leash.py")
PID = re.compile(r"leash: pid (\d+)\n?")


class ChildEnded(Exception):
    """The process ended while something was still expected of it. The message quotes its last lines."""


class Child:
    """A running command. Its standard output and error are one stream of lines; its input is empty.

    It ends with us, even when we are killed (leash.py). `grace` is how many seconds it then has to do so.
    `on_line` is called with each line, without its line end, in a thread of this class. Only the last `keep` lines are
    kept (None: all).
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        grace: float = 10,
        on_line: Callable[[str], None] | None = None,
        keep: int | None = None,
    ) -> None:
        self._on_line = on_line
        self._lines: deque[str] = deque(maxlen=keep)
        self._count = 0
        self._news = threading.Condition()
        self._ended = False
        self._pid: int | None = None
        # -I and -S: the leash itself takes nothing from the environment that is meant for the command.
        leash = [sys.executable, "-I", "-S", str(LEASH), str(grace), *map(str, command)]
        self._process = subprocess.Popen(
            leash,
            cwd=cwd,
            env=None if env is None else dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # what Windows has for a session
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The command's own process id."""
        with self._news:
            self._news.wait_for(lambda: self._pid is not None or self._ended)
            if self._pid is None:
                raise ChildEnded(self._lines[-1] if self._lines else "it did not start")
            return self._pid

    @property
    def returncode(self) -> int | None:
        """None while it runs, else its exit status; 128 + the number of the signal that ended it."""
        return self._process.poll()

    def lines(self) -> list[str]:
        """The lines so far."""
        with self._news:
            return list(self._lines)

    def wait_line(self, pattern: str, timeout: float) -> re.Match[str]:
        """The first match of `pattern` in any line, waited for `timeout` seconds.

        Raises:
            ChildEnded: the process ended without such a line.
            TimeoutError: it runs on without one.
        """
        deadline = time.monotonic() + timeout
        seen = 0
        with self._news:
            while True:
                unseen = min(self._count - seen, len(self._lines))
                for line in list(self._lines)[len(self._lines) - unseen :]:
                    if found := re.search(pattern, line):
                        return found
                seen = self._count
                tail = "\n".join(list(self._lines)[-15:])
                if self._ended:
                    raise ChildEnded(f"ended without a line like {pattern!r}; its last ones:\n{tail}")
                if not self._news.wait(deadline - time.monotonic()) and seen == self._count:
                    raise TimeoutError(f"no line like {pattern!r} within {timeout:g} s; the last ones:\n{tail}")

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, once it has ended and its last line was read. TimeoutError after `timeout` seconds."""
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"still running after {timeout:g} s") from None
        self.close()
        return status

    def wait_reason(self) -> str:
        """Once it has ended: its exit status and its last words."""
        status = self.wait()
        said = [line.strip() for line in self.lines() if line.strip()]
        return f"exit status {status}; {said[-1] if said else 'it said nothing'}"

    def terminate(self) -> None:
        """Ask it to end (SIGTERM; CTRL_BREAK on Windows), and return at once."""
        self._order(b"t")

    def kill(self) -> None:
        """End it and whatever it started at once (SIGKILL), and return before that is done. Fit for signal handlers."""
        self._order(b"k")

    def stop(self, timeout: float = 10) -> int:
        """Ask it to end, kill it after `timeout` seconds, and give its exit status. Repeating it is harmless."""
        self.terminate()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._order(b"k")
        self.close()
        return self._process.returncode

    def close(self) -> None:
        """Wait for a process that is ending, and give back what was held for it."""
        self._process.wait()
        self._reader.join()
        if self._process.stdin:
            self._process.stdin.close()

    def _order(self, order: bytes) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.write(order)
        except (OSError, ValueError):  # it has ended already, or its pipe is closed for that reason
            pass

    def _read(self) -> None:
        output = self._process.stdout
        assert output is not None
        for raw in iter(output.readline, b""):
            text = raw.decode("utf-8", "replace")
            with self._news:
                if self._pid is None and (announced := PID.search(text)):
                    self._pid = int(announced[1])
                    text = PID.sub("", text)
                    self._news.notify_all()
                    if not text:
                        continue
                line = text.rstrip("\r\n")
                self._lines.append(line)
                self._count += 1
                self._news.notify_all()
            if self._on_line:
                self._on_line(line)
        output.close()
        with self._news:
            self._ended = True
            self._news.notify_all()
