"""What is installed for Node: the storage emulator."""

from tools.dev.node import find_node, find_npm
from tools.dev.offline import explain
from tools.dev.paths import AZURITE, LOGS, NODE_MODULES, ROOT
from tools.dev.stamp import Stamp, digest
from tools.dev.step import StepFailed, run_step


def prepare_node() -> None:
    """`node_modules` holds exactly what package-lock.json says. Takes no time when it already does.

    Raises:
        Problem: no Node or npm, or it cannot be installed; the next run begins it anew.
    """
    find_node()
    # `npm ci` first removes the folder and with it the stamp, so that an interrupted one leaves none.
    stamp = Stamp(NODE_MODULES, NODE_MODULES)
    made_from = digest([ROOT / "package.json", ROOT / "package-lock.json"])
    if AZURITE.exists() and stamp.is_of(made_from):
        return
    npm = [find_npm(), "ci", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retry-mintimeout=2000"]
    try:
        run_step("Installing the storage emulator (once, half a minute)", npm, cwd=ROOT, log=LOGS / "npm.log")
    except StepFailed as failure:
        mirror = "set npm_config_registry to a mirror"
        raise explain(failure, tool="npm", log=".dev/npm.log", mirror=mirror) from None
    stamp.finish(made_from)
