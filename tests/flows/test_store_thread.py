"""Which calls to stores wait for each other, and which do not."""

import asyncio
import threading

from flows.store_thread import in_store_thread


async def test_a_store_without_a_way_to_commit_together_tells_each_caller_at_once():
    is_first_told = threading.Event()
    first = asyncio.create_task(in_store_thread(lambda: "done"))
    second = asyncio.create_task(in_store_thread(lambda: is_first_told.wait(5)))

    assert await first == "done"
    is_first_told.set()
    assert await second is True


async def test_calls_keep_their_order_whatever_store_they_go_to():
    made = []

    def together(calls):
        return [(call(), None) for call in calls]

    ways = [together, None, together, together, None]
    calls = (in_store_thread(lambda n=n: made.append(n), together=way) for n, way in enumerate(ways))
    await asyncio.gather(*calls)

    assert made == [0, 1, 2, 3, 4]


async def test_whoever_shares_a_way_that_fails_is_told_so():
    def together(calls):
        raise OSError("no file")

    calls = (in_store_thread(int, together=together) for _ in range(2))
    outcomes = await asyncio.gather(*calls, return_exceptions=True)

    assert [str(outcome) for outcome in outcomes] == ["no file"] * 2


def test_a_call_is_made_although_its_loop_ended_before_its_turn():
    made = threading.Event()

    async def ask_and_leave():
        asyncio.get_running_loop().create_task(in_store_thread(made.set))

    loop = asyncio.new_event_loop()
    loop.run_until_complete(ask_and_leave())
    tasks = asyncio.all_tasks(loop)
    assert not made.is_set()
    asyncio.run(in_store_thread(int))

    assert made.is_set()
    loop.run_until_complete(asyncio.gather(*tasks))
    loop.close()
