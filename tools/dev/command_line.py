"""The commands of dev.py and their options."""

import argparse
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.dev.lanes import Lanes
from tools.dev.options import NEXT_ACCOUNT
from tools.dev.paths import ROOT
from tools.dev.problem import Problem
from tools.dev.sign_in import SignIn

LAST_PORT = 65535
DESCRIPTION = """\
Work on Fix-It. Each command first makes what is missing: .venv, node_modules, local.settings.json.

  start   the app and the storage emulator on this machine, until Ctrl-C
  test    style, types, infrastructure and tests, against an emulator of its own; --full runs the exhaustive
          tests too, and all options are pytest's: test -k receipt, test tests/unit
  demo    start all of it on free ports, send a task and follow it, send one that fails, and end
  prepare only make what is missing
"""


def main(words: Sequence[str]) -> int:
    """Run one command. Its exit status: 0 done, 1 failed or something stands in the way, 2 wrong words, 130 Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a line that the terminal cannot show must not end anything
    try:
        # All that follows `test` is pytest's, whatever it looks like.
        if words[:1] == ["test"] and words[1:2] not in (["-h"], ["--help"]):
            from tools.dev.test import check

            return check(words[1:])
        return _run(_parse(words))
    except Problem as problem:
        print(f"dev.py: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130


def _run(given: argparse.Namespace) -> int:
    if given.command == "start":
        from tools.dev.options import Options
        from tools.dev.start import start

        return start(
            Options(
                host=given.host,
                port=given.port,
                storage_port=given.storage_port,
                data=given.data,
                functions=tuple(given.functions),
                keys=given.keys,
                lanes=given.lanes,
                sign_in=SignIn(given.sign_in, is_operator=given.operator) if given.sign_in else None,
            )
        )
    if given.command == "prepare":
        from tools.dev.prepare import prepare

        prepare()
        return 0
    from tools.dev.demo import demo

    return demo(host=given.host, as_json=given.json)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser = _parser()
    given = parser.parse_args(words)
    if given.command == "start" and given.lanes:
        if given.functions:
            parser.error("--lanes decides which process loads which functions: leave out --functions")
        last = given.storage_port + NEXT_ACCOUNT * (given.lanes.accounts - 1) + 2
        if last > LAST_PORT:
            parser.error(f"argument --storage-port: the accounts of these lanes would go up to port {last}")
    if given.command == "start" and given.sign_in:
        if given.host == "func":
            parser.error("--sign-in needs the local host: Core Tools cannot play the platform's sign-in")
        if given.lanes:
            parser.error("--sign-in runs the app in one process: leave out --lanes")
    elif given.command == "start" and given.operator:
        parser.error("--operator says what a person may do: name one with --sign-in")
    return given


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev.py", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="start | test | demo | prepare")
    start = commands.add_parser("start", help="run the app here, until Ctrl-C")
    start.add_argument("--port", type=_port, default=7071, help="of the app (7071); 0 takes a free one")
    _add_host(start)
    start.add_argument(
        "--storage-port", type=_first_port, default=10000, metavar="PORT",
        help="of the emulator: this one and the next two (10000), each further account 10 higher; 0 takes free ones",
    )  # fmt: skip
    start.add_argument(
        "--data", type=Path, default=ROOT / ".azurite", metavar="FOLDER", help="where the emulator keeps it (.azurite)"
    )
    start.add_argument("--functions", nargs="+", default=(), metavar="NAME", help="load only these")
    start.add_argument(
        "--lanes", type=_lanes, metavar="AxQ",
        help="A accounts with Q queues each (1 to 4), such as 2x2; intake and each queue have processes of their own",
    )  # fmt: skip
    start.add_argument("--keys", action="store_true", help="ask for function keys, as deployed")
    start.add_argument(
        "--sign-in", type=_name, metavar="NAME",
        help="with the pages for people; whoever opens them is signed in as NAME",
    )  # fmt: skip
    start.add_argument("--operator", action="store_true", help="NAME has the operator's role")
    commands.add_parser(
        "test",
        help="check style, types and behaviour; options are pytest's, and --full",
        usage="dev.py test [--full] [options of pytest, files or folders]",
        description="Style, types, infrastructure and tests. --full runs the exhaustive tests too; all other words are "
        "pytest's. Who names files or folders of tests does not wait for the infrastructure.",
    )
    demo = commands.add_parser("demo", help="see it work, in some seconds")
    _add_host(demo)
    demo.add_argument("--json", action="store_true", help="print what happened as one JSON object")
    commands.add_parser("prepare", help="make what is missing, and end: for containers and workflows")
    return parser


def _add_host(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--host", choices=("devhost", "func"), default="devhost", help="the local host, or Core Tools where installed"
    )


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= LAST_PORT:
        raise argparse.ArgumentTypeError("0 to 65535")
    return port


def _first_port(text: str) -> int:
    if (port := _port(text)) > LAST_PORT - 2:
        raise argparse.ArgumentTypeError("0 to 65533: two more follow it")
    return port


def _name(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}", text):
        raise argparse.ArgumentTypeError("1 to 64 letters, digits, blanks and . _ @ -, such as ann or ann@example.com")
    return text


def _lanes(text: str) -> Lanes:
    found = re.fullmatch("([1-4])x([1-4])", text)
    if not found:
        raise argparse.ArgumentTypeError("AxQ: 1 to 4 accounts with 1 to 4 queues each, such as 2x2")
    return Lanes(accounts=int(found[1]), queues=int(found[2]))
