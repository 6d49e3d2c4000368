import pytest

from bot.db.sqlite import SqliteDb
from bot.effects import Effects, effect_id
from bot.types import TeamId
from flows.testing import ManualClock

T1, T2 = TeamId("T1"), TeamId("T2")


class Target:
    """Something outside that counts its calls and can lose an answer."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.lose_answers = 0

    async def call(self, identity: str) -> str:
        self.calls.append(identity)
        if self.lose_answers:
            self.lose_answers -= 1
            raise ConnectionResetError
        return f"result of {identity}"

    async def find(self, identity: str, since: float) -> str | None:
        return f"result of {identity}" if identity in self.calls else None

    async def find_nothing(self, identity: str, since: float) -> str | None:
        return None


@pytest.fixture
async def effects(tmp_path):
    db = await SqliteDb.open(tmp_path / "t.db")
    yield Effects(db, ManualClock())
    await db.close()


async def test_a_key_is_called_once_and_answers_from_its_row(effects) -> None:
    target = Target()

    results = [await effects.once(T1, "k", call=target.call, find=target.find) for _ in range(3)]

    assert len(target.calls) == 1
    assert len(set(results)) == 1


async def test_a_lost_answer_is_looked_up_and_not_repeated(effects) -> None:
    target = Target()
    target.lose_answers = 1
    with pytest.raises(ConnectionResetError):
        await effects.once(T1, "k", call=target.call, find=target.find)

    await effects.once(T1, "k", call=target.call, find=target.find)

    assert len(target.calls) == 1


async def test_a_call_that_never_arrived_is_made_again_with_the_same_identity(effects) -> None:
    target = Target()
    target.lose_answers = 1
    with pytest.raises(ConnectionResetError):
        await effects.once(T1, "k", call=target.call, find=target.find)

    await effects.once(T1, "k", call=target.call, find=target.find_nothing)

    assert target.calls == [effect_id(T1, "k")] * 2


async def test_two_workspaces_never_share_a_key(effects) -> None:
    target = Target()

    await effects.once(T1, "k", call=target.call, find=target.find)
    await effects.once(T2, "k", call=target.call, find=target.find)

    assert len(set(target.calls)) == 2
