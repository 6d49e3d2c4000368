"""The clock that a sandbox moves: system time and what the file says, whatever state the file is in."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.clock import OffsetClock, SystemClock, clock_of
from bot.sandbox import Sandbox, SandboxClient

HOUR = timedelta(hours=1)
NEAR = timedelta(seconds=5)
"""How long a test may take between two looks at the system's clock."""


@dataclass(frozen=True)
class Choice:
    clock_file: Path | None


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clock.json"


def put(path: Path, offset_s: object) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps({"offset_s": offset_s}), "utf-8")
    fresh.replace(path)


def ahead(clock: OffsetClock) -> timedelta:
    return clock.now() - datetime.now(UTC)


def test_time_is_aware_utc(path: Path) -> None:
    assert OffsetClock(path).now().tzinfo is UTC


def test_without_a_file_it_is_the_systems_time(path: Path) -> None:
    assert abs(ahead(OffsetClock(path))) < NEAR


def test_the_file_moves_the_time(path: Path) -> None:
    put(path, 3_600)

    assert abs(ahead(OffsetClock(path)) - HOUR) < NEAR


def test_each_replacement_is_followed_though_it_is_as_long(path: Path) -> None:
    clock, seen = OffsetClock(path), []

    put(path, 3_600)
    seen.append(round(ahead(clock) / HOUR))
    put(path, 7_200)
    seen.append(round(ahead(clock) / HOUR))
    put(path, 0)
    seen.append(round(ahead(clock) / HOUR))

    assert seen == [1, 2, 0]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param('{"offset_s": 72', id="half-written"),
        pytest.param("[7200]", id="no object"),
        pytest.param('{"offset": 7200}', id="another key"),
        pytest.param('{"offset_s": "7200"}', id="a text"),
        pytest.param('{"offset_s": true}', id="a boolean"),
        pytest.param('{"offset_s": NaN}', id="no number"),
        pytest.param('{"offset_s": 1e300}', id="beyond the calendar"),
        pytest.param("\x00\x80", id="no text"),
    ],
)
def test_what_cannot_be_read_leaves_the_offset_of_before(path: Path, content: str) -> None:
    put(path, 3_600)
    clock = OffsetClock(path)
    clock.now()

    path.write_text(content, "latin-1")

    assert abs(ahead(clock) - HOUR) < NEAR


def test_a_file_that_vanished_leaves_the_offset_of_before(path: Path) -> None:
    put(path, 3_600)
    clock = OffsetClock(path)
    clock.now()

    path.unlink()

    assert abs(ahead(clock) - HOUR) < NEAR


def test_what_was_half_written_is_read_once_it_is_whole(path: Path) -> None:
    clock = OffsetClock(path)
    path.write_text('{"offset_s": 36', "utf-8")
    clock.now()

    path.write_text('{"offset_s": 3600}', "utf-8")

    assert abs(ahead(clock) - HOUR) < NEAR


async def test_a_sandbox_moves_it_and_takes_it_back(path: Path) -> None:
    clock, seen = OffsetClock(path), []

    async with Sandbox(clock_file=path) as sandbox, SandboxClient(sandbox.url) as control:
        seen.append(ahead(clock))
        await control.advance_clock(3_600)
        seen.append(ahead(clock))
        await control.reset_clock()
        seen.append(ahead(clock))

    assert [round(one / HOUR) for one in seen] == [0, 1, 0]


def test_the_settings_choose_the_clock(path: Path) -> None:
    put(path, 3_600)
    moved = clock_of(Choice(path))

    assert isinstance(clock_of(Choice(None)), SystemClock)
    assert isinstance(moved, OffsetClock)
    assert abs(ahead(moved) - HOUR) < NEAR
