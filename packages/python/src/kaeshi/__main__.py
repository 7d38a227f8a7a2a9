"""`python -m kaeshi`: the program, with the same arguments."""

import subprocess
import sys

from ._program import program


def main() -> int:
    try:
        return subprocess.call([program(), *sys.argv[1:]])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
