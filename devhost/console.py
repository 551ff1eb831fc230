"""What the host prints, in the shape that users of Core Tools know."""

import logging
import sys
import threading
from datetime import UTC, datetime

WORKER_LIBRARY = "azure.functions"
RED, YELLOW, RESET = "\x1b[31m", "\x1b[33m", "\x1b[0m"


def say(text: str = "") -> None:
    """Print a line as it is."""
    # One write for text and line end: functions on other threads print too.
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def log(text: str, level: int = logging.INFO) -> None:
    """Print `[yyyy-MM-ddTHH:mm:ss.fffZ] text`; errors in red and warnings in yellow on a terminal."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    line = f"[{now}Z] {text}"
    colour = RED if level >= logging.ERROR else YELLOW if level >= logging.WARNING else ""
    say(f"{colour}{line}{RESET}" if colour and sys.stdout.isatty() else line)


class _WorkerLog(logging.Handler):
    """Prints what functions log at INFO or above, and what libraries inside the host itself log as warnings."""

    def emit(self, record: logging.LogRecord) -> None:
        if _is_shown(record):
            try:
                log(self.format(record), record.levelno)
            except Exception:  # a log line must never fail the code that wrote it
                self.handleError(record)


def _is_shown(record: logging.LogRecord) -> bool:
    if record.name == WORKER_LIBRARY and record.msg == "Native invocation failed":
        return False  # the invoker tells of it, with the same traceback
    system = record.thread == threading.main_thread().ident or record.name.startswith(WORKER_LIBRARY)
    return record.levelno >= (logging.WARNING if system else logging.INFO)


def listen_to_logging() -> None:
    """Send this process's log records to the console, from INFO up."""
    root = logging.getLogger()
    root.addHandler(_WorkerLog())
    root.setLevel(logging.INFO)
