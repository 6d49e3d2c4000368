"""A run that waits for a person: what comes back, and what is kept meanwhile."""

import asyncio
from dataclasses import dataclass

from pydantic import BaseModel

from tests.differential.case import attempt, case, outcome
from tests.differential.cases.reviewed import reviewed
from tests.differential.people import Pauses

LABELS = ["approved", "rejected"]


@case("P-1")
def kickoff_gives_the_pending_request(api):
    log = []
    flow_class = reviewed(api, log, provider=Pauses(api, url="u"), metadata={"tier": "low"})

    async def run():
        flow = flow_class(persistence=api.store())
        pending = await flow.kickoff_async()
        return {
            "is pending": isinstance(pending, api.HumanFeedbackPending),
            "callback_info": pending.callback_info,
            "method": pending.context.method_name,
            "output": pending.context.method_output,
            "emit": pending.context.emit,
            "metadata": pending.context.metadata,
            "text names both": flow.flow_id in str(pending) and "draft" in str(pending),
            "fired": log,
        }

    return run


@case("P-1")
def a_sync_kickoff_gives_it_too(api):
    flow_class = reviewed(api, [])

    return lambda: {"result": attempt(lambda: flow_class(persistence=api.store()).kickoff())}


@case("P-2")
def a_context_as_a_dict(api):
    class Thing(BaseModel):
        n: int = 1

    @dataclass
    class Point:
        x: int

    def run():
        def safe(output):
            context = api.PendingFeedbackContext(
                flow_id="f", flow_class="m.C", method_name="draft", method_output=output, message="OK?"
            )
            return context.to_dict()["method_output"]

        context = api.PendingFeedbackContext(
            flow_id="f", flow_class="m.C", method_name="draft", method_output="o", message="OK?", emit=["a"], llm="m"
        )
        again = api.PendingFeedbackContext.from_dict(context.to_dict())
        return {
            "round trip": [again.flow_id, again.method_output, again.emit, again.llm, again.metadata],
            "time kept": again.requested_at == context.requested_at,
            "model": safe(Thing()),
            "dataclass": safe(Point(x=2)),
            "tuple": safe((1, 2)),
            "unknown": type(safe(object())).__name__,
        }

    return run


@case("P-13")
def a_join_over_a_pause(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a"

        @api.listen(a)
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def review(self):
            return "text"

        @api.listen(api.and_(a, review))
        async def joined(self):
            log.append("joined")
            return "joined"

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()
        flow = Example.from_pending(paused.flow_id, store)
        result = await outcome(flow.resume_async("fine"))
        return {"result": result, "fired": log, "outputs": flow.method_outputs}

    return run


@case("P-13")
def the_history_over_a_pause(api):
    class Quick:
        def request_feedback(self, context, flow):
            return "quick words"

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="One?", provider=Quick())
        async def one(self):
            return 1

        @api.listen(one)
        @api.human_feedback(message="Two?", provider=Pauses(api))
        async def two(self):
            return 2

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()
        flow = Example.from_pending(paused.flow_id, store)
        await flow.resume_async("slow words")
        return {"words": [item.feedback for item in flow.human_feedback_history]}

    return run


@case("P-14")
def a_sibling_of_a_pausing_step_ends(api):
    asked, rounds = asyncio.Event(), []

    class Asks:
        async def request_feedback(self, context, flow):
            asked.set()
            raise api.HumanFeedbackPending(context=context)

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a"

        @api.listen(a)
        @api.human_feedback(message="OK?", provider=Asks())
        async def review(self):
            return "text"

        @api.listen(a)
        async def sibling(self):
            await asked.wait()

        @api.listen(api.or_(sibling, "again"))
        async def work(self):
            rounds.append(1)

        @api.router(work)
        async def check(self):
            return "again" if len(rounds) < 50 else "worked"

    async def run():
        result = await outcome(Example(persistence=api.store()).kickoff_async())
        return {"result": result, "the sibling's branch ended": len(rounds) == 50}

    return run


@case("P-14")
def two_branches_that_both_pause(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a"

        @api.listen(a)
        @api.human_feedback(message="One?", provider=Pauses(api))
        async def one(self):
            return 1

        @api.listen(a)
        @api.human_feedback(message="Two?", provider=Pauses(api))
        async def two(self):
            return 2

        @api.listen(api.and_(one, two))
        async def joined(self):
            log.append("joined")
            return "joined"

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()
        answered = []
        for request in _open_requests(store, paused.flow_id):
            flow = Example.from_pending(paused.flow_id, store, **request)
            answered.append(flow.pending_feedback is not None)
            await flow.resume_async("fine")
        return {"requests": len(answered), "fired": log}

    return run


def _open_requests(store, flow_id):
    """How each open request is named to `from_pending`: by its id, or not at all where only one can be held."""
    listing = getattr(store, "list_pending", None)
    return [{}] if listing is None else [{"request_id": item.request_id} for item in listing(flow_id)]


class Article(BaseModel):
    title: str = "Title"


@case("P-15")
def an_output_over_a_pause(api):
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def draft(self):
            return Article(title="Mine")

        @api.listen(draft)
        async def hears(self, result):
            log.append(result.output)

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()
        await outcome(Example.from_pending(paused.flow_id, store).resume_async("fine"))
        return {"heard": log}

    return run


@case("P-16")
def a_new_kickoff_while_a_request_is_open(api):
    flow_class = reviewed(api, [])

    async def run():
        store = api.store()
        paused = flow_class(persistence=store)
        await paused.kickoff_async()
        anew = await outcome(flow_class(persistence=store).kickoff_async(inputs={"id": paused.flow_id}))
        return {"anew": anew}

    return run


@case("P-3")
def a_model_state_over_a_pause(api):
    class Counter(BaseModel):
        n: int = 0

    class Example(api.Flow[Counter]):
        @api.start()
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def draft(self):
            self.state.n += 1
            return self.state.n

        @api.listen(draft)
        async def after(self, result):
            self.state.n += 10
            return [isinstance(self.state, Counter), self.state.n, result.output]

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()
        return {"result": await outcome(Example.from_pending(paused.flow_id, store).resume_async("fine"))}

    return run
