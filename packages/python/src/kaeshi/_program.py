"""Where the program lies."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig


def program() -> str:
    """The path of the program: the one of this installation, else the one on the path.

    Raises FileNotFoundError if there is none.
    """
    name = "kaeshi.exe" if sys.platform == "win32" else "kaeshi"
    user_scheme = sysconfig.get_preferred_scheme("user") if sys.version_info >= (3, 10) else f"{os.name}_user"
    for folder in (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user_scheme)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    found = shutil.which("kaeshi")
    if found is None:
        raise FileNotFoundError("the program kaeshi is neither in this environment nor on the path")
    return found
