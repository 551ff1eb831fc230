"""`dev.py start`: the emulator and the app, until Ctrl-C."""

import threading

from tools.dev.announcement import Announcement
from tools.dev.azurite import Azurite
from tools.dev.cors import allow_uploads, upload_origins
from tools.dev.host import GRACE_SECONDS, Host
from tools.dev.laned import laned
from tools.dev.options import STORAGE_PORT, Options
from tools.dev.ports import check_free
from tools.dev.prepare import prepare
from tools.dev.say import Say
from tools.dev.setup import Setup
from tools.dev.stop_signal import on_stop_signal

CONNECTIONS = ("AzureWebJobsStorage", "FixItStorage")


def start(options: Options) -> int:
    """Run everything until Ctrl-C or SIGTERM, then leave nothing running. 0 once it has ended so.

    Raises:
        Problem: something stands in the way; nothing is running.
    """
    stop = threading.Event()
    say = Say(on_closed=stop.set)
    setup = laned(options, options.lanes, say) if options.lanes else _plain(options, say)
    check_free(options.port, of="the app", option="--port N")
    for account in range(1, options.accounts + 1):
        for port in options.storage_ports(account):
            check_free(port, of="the storage emulator", option="--storage-port N")
    prepare()
    on_stop_signal(stop, hurry=setup.kill)
    try:
        setup.start(stop)
        while not stop.wait(0.5):  # with a timeout, or Windows would not see Ctrl-C
            pass
        say(f"dev.py: Stopping; running functions have {GRACE_SECONDS} s to finish (Ctrl-C again ends them now).")
    finally:
        setup.stop()
    say("dev.py: Stopped.")
    return 0


def _plain(options: Options, say: Say) -> Setup:
    """One account, one process for the whole app."""
    azurite = Azurite(options.data.resolve(), ports=options.storage_ports())
    host = Host(
        options.host,
        port=options.port,
        functions=options.functions,
        keys=options.keys,
        on_line=say,
        on_ready=Announcement(say, options.sign_in),
    )

    def connect() -> None:
        allow_uploads(azurite.blob_port, upload_origins(options.port))
        elsewhere = options.storage_port != STORAGE_PORT
        host.extra = {
            **(dict.fromkeys(CONNECTIONS, azurite.connection_string) if elsewhere else {}),
            **(options.sign_in.settings(options.data.resolve()) if options.sign_in else {}),
        }
        say(f"Storage emulator on ports {azurite.blob_port}, {azurite.queue_port}, {azurite.table_port}; "
            f"its data is in {options.data}")  # fmt: skip

    return Setup({"Azurite": azurite}, {"The host": host}, connect=connect, say=say)
