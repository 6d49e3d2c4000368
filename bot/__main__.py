"""`python -m bot …` is `placet …`."""

from __future__ import annotations

import sys
from pathlib import Path

# `-m` puts the current folder first, where a flows/ of the user's own would stand in for ours.
if not sys.flags.safe_path and Path(sys.path[0]).resolve() != Path(__file__).resolve().parents[1]:
    sys.path.append(sys.path.pop(0))

from bot.cli import main

main()
