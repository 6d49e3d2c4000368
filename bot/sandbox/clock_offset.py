"""How far the workspace's time runs ahead of the clock: moving it, and telling pages and bot.

Sandbox and bot are two processes; the file with the offset is all that they share.
"""

import json
from pathlib import Path
from typing import Final

from bot.sandbox.vocabulary import Payload
from bot.sandbox.world import World, bot_frame

FARTHEST_S: Final = 10 * 366 * 86_400
"""Ten years: further on there is nothing to see, and a ts must keep its ten digits."""


def set_offset(world: World, offset_s: float) -> None:
    """Let the workspace's time run that many seconds ahead. Raises OSError when the clock file cannot be written.

    The file comes first: a bot must never see a message from later than its own clock can say.
    """
    if world.clock_file is not None:
        write_offset(world.clock_file, offset_s)
    world.offset_s = offset_s
    world.feed.send(clock_frame(world))
    world.feed.send(bot_frame(world))


def clock_frame(world: World) -> Payload:
    """The frame that tells a page what time it is."""
    return {"type": "clock", "now": world.now(), "offset_s": world.offset_s}


def write_offset(path: Path, offset_s: float) -> None:
    """Write the file in one step: who reads it finds the old offset or the new one, never a part of it."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(json.dumps({"offset_s": offset_s}), "utf-8")
    fresh.replace(path)
