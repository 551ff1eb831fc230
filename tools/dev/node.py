"""Node, which the storage emulator runs on."""

import re
import shutil
import subprocess

from tools.dev.problem import Problem

OLDEST = 20


def find_node() -> str:
    """The path of a Node that is new enough. Problem if there is none."""
    advice = f"install Node {OLDEST} or newer from https://nodejs.org (the storage emulator runs on it)"
    node = shutil.which("node")
    if node is None:
        raise Problem(f"Node is not installed: {advice}.")
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem(f"Node at {node} does not run ({error}): {advice}.") from None
    found = re.match(r"v(\d+)\.", said)
    if found is None or int(found[1]) < OLDEST:
        raise Problem(f"Node at {node} is {said.strip() or 'of an unknown version'}: {advice}.")
    return node


def find_npm() -> str:
    """The path of npm, which comes with Node. Problem if there is none."""
    npm = shutil.which("npm")
    if npm is None:
        raise Problem(
            "npm is not installed: it comes with Node from https://nodejs.org (some systems package it as `npm`)."
        )
    return npm
