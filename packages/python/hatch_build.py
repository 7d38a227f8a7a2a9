"""Puts the program into the wheel, as a script, and names the platform that it runs on.

KAESHI_PROGRAM is the program, KAESHI_PLATFORM the platform tag, such as `win_amd64`, KAESHI_ENGINE, if any, the engine
of `kaeshi play --export`.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProgramHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        platform = os.environ["KAESHI_PLATFORM"]
        name = "kaeshi.exe" if platform.startswith("win") else "kaeshi"
        build_data["shared_scripts"][os.path.abspath(os.environ["KAESHI_PROGRAM"])] = name
        if engine := os.environ.get("KAESHI_ENGINE"):
            build_data["shared_data"][os.path.abspath(engine)] = "share/kaeshi/kaeshi-play.wasm"
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
