"""What the host prints, in the shape that users of Core Tools know."""

import logging
import sys
import threading
from datetime import UTC, datetime

RED, YELLOW, RESET = "\x1b[31m", "\x1b[33m", "\x1b[0m"


def say(text: str = "") -> None:
    """Print a line as it is."""
    print(text, flush=True)


def log(text: str, level: int = logging.INFO) -> None:
    """Print `[yyyy-MM-ddTHH:mm:ss.fffZ] text`; errors in red and warnings in yellow on a terminal."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    line = f"[{now}Z] {text}"
    colour = RED if level >= logging.ERROR else YELLOW if level >= logging.WARNING else ""
    say(f"{colour}{line}{RESET}" if colour and sys.stdout.isatty() else line)


class _WorkerLog(logging.Handler):
    """Prints what functions log at INFO or above, and what libraries inside the host itself log as warnings."""

    def emit(self, record: logging.LogRecord) -> None:
        system = record.thread == threading.main_thread().ident or record.name.startswith("azure.functions")
        if system and record.levelno < logging.WARNING:
            return
        try:
            log(self.format(record), record.levelno)
        except Exception:  # a log line must never fail the code that wrote it
            self.handleError(record)


def listen_to_logging() -> None:
    """Send this process's log records to the console, from INFO up."""
    root = logging.getLogger()
    root.addHandler(_WorkerLog())
    root.setLevel(logging.INFO)
