"""A run seen as frames."""

from tests.differential.case import attempt, case, outcome
from tests.differential.people import Pauses


def told(frames):
    """Type and method of each frame of the flow's own channel."""
    kept = [frame for frame in frames if frame.channel == "flow"]
    return [[frame.type, (frame.data or {}).get("method_name")] for frame in kept]


def streamed(flow, **options):
    """The frames of a run, its result, and what the reader met."""
    session = flow.stream_events(**options)
    frames, met = [], None
    try:
        frames.extend(session)
    except Exception as error:
        met = type(error).__name__
    return session, frames, met


@case("F-1", "F-4")
def a_run_as_frames(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.router(a)
        async def r(self):
            return "go"

        @api.listen("go")
        async def b(self):
            return "end"

    def run():
        session, frames, met = streamed(Example())
        return {"told": told(frames), "result": attempt(lambda: session.result), "met": met}

    return run


@case("F-9")
def frames_beside_the_flows_own(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

    def run():
        _, frames, _ = streamed(Example())
        return {"others": sorted({frame.type for frame in frames if frame.channel != "flow"})}

    return run


@case("F-4")
def a_failing_run_as_frames(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            raise ValueError("no")

    def run():
        session, frames, met = streamed(Example())
        return {"told": told(frames), "met": met, "result": attempt(lambda: session.result)}

    return run


@case("F-4", "P-1")
def a_pausing_run_as_frames(api):
    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def a(self):
            return "text"

    def run():
        session, frames, met = streamed(Example(persistence=api.store()))
        kept = [item for item in told(frames) if not item[0].startswith("human_feedback")]
        return {"told": kept, "met": met, "result": attempt(lambda: session.result)}

    return run


@case("F-4")
def a_result_before_the_end(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

    def run():
        session = Example().stream_events()
        early = attempt(lambda: session.result)
        before = [session.is_completed, session.is_exhausted]
        first_time = len(list(session.events))
        second_time = len(list(session.events))
        return {
            "early": early,
            "before": before,
            "after": [session.is_completed, session.is_exhausted],
            "replays": first_time == second_time > 0,
            "result": attempt(lambda: session.result),
        }

    return run


@case("F-1")
def nothing_runs_until_a_stream_is_read(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")
            return 1

    def run():
        flow = Example()
        flow.stream = True
        session = flow.kickoff()
        before = list(log)
        frames = list(session)
        return {"before": before, "after": log, "frames": len(frames) > 0, "result": attempt(lambda: session.result)}

    return run


@case("F-1")
def an_async_stream(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.listen(a)
        async def b(self, value):
            return value + 1

    async def run():
        session = Example().astream()
        frames = [frame async for frame in session]
        return {"told": told(frames), "result": await outcome(_given(session))}

    return run


async def _given(session):
    return session.result


@case("F-2", "F-7")
def numbers_of_frames(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.listen(a)
        async def b(self):
            return 2

    def run():
        _, frames, _ = streamed(Example())
        numbers = [frame.seq for frame in frames]
        return {
            "rise strictly": numbers == sorted(set(numbers)),
            "ids differ": len({frame.id for frame in frames}) == len(frames),
            "namespace begins with the channel": all(frame.namespace[0] == frame.channel for frame in frames),
            "content": sorted({frame.content for frame in frames}),
        }

    return run


@case("R-19", "F-1")
def frames_of_a_quiet_flow(api):
    class Example(api.Flow):
        name = "Quiet one"

        @api.start()
        async def a(self):
            return 1

    def run():
        _, frames, _ = streamed(Example(suppress_flow_events=True))
        return {
            "told": told(frames),
            "names": sorted({(frame.data or {}).get("flow_name") or "" for frame in frames if frame.channel == "flow"}),
        }

    return run


@case("F-1", "F-4")
def an_async_kickoff_of_a_streaming_flow(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

    async def run():
        flow = Example()
        flow.stream = True
        session = await flow.kickoff_async()
        frames = [frame async for frame in session]
        return {"told": told(frames), "result": session.result}

    return run


@case("F-4")
def views_of_a_stream(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

    def run():
        session = Example().stream_events()
        flow_frames = list(session.flow)
        return {
            "flow": told(flow_frames),
            "model": len(list(session.llm)),
            "messages": len(list(session.messages)),
            "tools": len(list(session.tools)),
            "the flow's again": len(list(session.subscribe(["flow"]))) == len(flow_frames),
            "all are kept": len(session.frames) >= len(flow_frames),
            "result": session.result,
        }

    return run


@case("F-4")
def a_stream_in_a_with_block(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

    def run():
        with Example().stream_events() as session:
            count = len(list(session))
        session.close()
        session.close()
        return {"some": count > 0, "exhausted": session.is_exhausted, "cancelled": session.is_cancelled}

    return run
