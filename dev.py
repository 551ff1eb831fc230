#!/usr/bin/env python3
"""Work on Fix-It: python3 dev.py start | test | demo | prepare. Standard library only; `--help` says more."""

import sys

if sys.version_info < (3, 8):  # noqa: UP036 - said in words by any Python there is, instead of as a SyntaxError
    sys.exit("dev.py needs Python 3.13: install it from https://www.python.org/downloads/ and run python3.13 dev.py")

from tools.dev.interpreter import run_in_right_python

if __name__ == "__main__":
    sys.exit(run_in_right_python())
