"""Pauses among routers, joins and loops, and what is saved around them."""

from tests.differential.case import case, outcome, ran
from tests.differential.people import Pauses, scripted_model
from tests.differential.stores import watched

LABELS = ["approved", "rejected"]


def resumed(flow_class, store, *answers):
    """Runs to the first pause, then answers each pause in a new instance; records every result."""

    async def run():
        paused = flow_class(persistence=store)
        results = [await outcome(paused.kickoff_async())]
        for words in answers:
            flow = flow_class.from_pending(paused.flow_id, store)
            results.append(await outcome(flow.resume_async(words)))
        return results

    return run


@case("P-6", "Ps-1")
def what_is_saved_around_a_pause(api):
    log = []

    store = watched(api, log)

    @api.persist(store)
    class Example(api.Flow):
        @api.start()
        async def prepare(self):
            self.state["n"] = 1

        @api.listen(prepare)
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def draft(self):
            self.state["n"] = 2

        @api.listen(draft)
        async def after(self):
            self.state["n"] = 3

    async def run():
        paused = Example()
        await outcome(paused.kickoff_async())
        # What a pause itself writes is the store's own business; what steps write is the class's promise.
        before = [name for name in log if name != "draft"]
        log.clear()
        flow = Example.from_pending(paused.flow_id, store)
        restored = flow.state["n"]
        await outcome(flow.resume_async("fine"))
        return {
            "before": before,
            "restored": restored,
            "after": [name for name in log if name != "draft"],
            "newest": store.load_state(paused.flow_id)["n"],
        }

    return run


@case("P-6", "R-5")
def routers_and_listeners_after_a_resume(api):
    log = []
    model, _ = scripted_model(api, [])

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, default_outcome="approved", provider=Pauses(api))
        async def draft(self):
            return "text"

        @api.listen("approved")
        async def on_approved(self, value):
            log.append(["on_approved", value])
            return "published"

        @api.router("approved")
        async def size(self, value):
            log.append(["size", value])
            return "small"

        @api.listen("small")
        async def on_small(self):
            log.append("on_small")

        @api.listen(on_approved)
        async def last(self, value):
            log.append(["last", value])
            return "last"

    async def run():
        return {"results": await resumed(Example, api.store(), "")(), "fired": log}

    return run


@case("P-6", "HF-17")
def a_loop_over_pauses(api):
    log = []
    model, _ = scripted_model(api, [])

    class Example(api.Flow):
        @api.start()
        async def write(self):
            log.append("write")
            self.state["version"] = 0

        @api.listen(api.or_("write", "revise"))
        @api.human_feedback(
            message="OK?", emit=["approved", "revise"], llm=model, default_outcome="revise", provider=Pauses(api)
        )
        async def review(self):
            self.state["version"] += 1
            log.append(["review", self.state["version"]])
            return self.state["version"]

        @api.listen("approved")
        async def publish(self):
            log.append("publish")

    async def run():
        return {"results": await resumed(Example, api.store(), "", "")(), "fired": log}

    return run


@case("P-13", "R-11")
def an_alternative_that_fired_before_the_pause(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a"

        @api.listen(a)
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def review(self):
            return "text"

        @api.listen(api.or_(a, review))
        async def either(self):
            log.append("either")

    async def run():
        return {"results": len(await resumed(Example, api.store(), "fine")()), "fired": log}

    return run


@case("P-1", "HF-15")
def a_configured_provider_that_pauses(api):
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?")
        async def draft(self):
            return "text"

        @api.listen(draft)
        async def after(self, result):
            log.append(result.feedback)
            return "end"

    async def run():
        api.flow_config.hitl_provider = Pauses(api)
        return {"results": await resumed(Example, api.store(), "fine")(), "fired": log}

    return run


@case("P-1", "P-6")
def a_pause_in_a_flow_of_sync_steps(api):
    log = []

    class Example(api.Flow):
        @api.start()
        def prepare(self):
            self.state["rows"] = [1, 2]
            return "prepared"

        @api.listen(prepare)
        @api.human_feedback(message="OK?", metadata={"tier": "low"}, provider=Pauses(api))
        def draft(self, value):
            return {"from": value}

        @api.listen(draft)
        def after(self, result):
            log.append([result.output, result.feedback, result.method_name, result.metadata["tier"]])
            return self.state["rows"]

    async def run():
        return {"results": await resumed(Example, api.store(), "fine")(), "fired": log}

    return run


@case("P-1", "R-5")
def an_inner_flow_that_pauses(api):
    class Inner(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def draft(self):
            return "text"

    log = []

    class Outer(api.Flow):
        @api.start()
        async def calls(self):
            found = await Inner(persistence=api.store("inner")).kickoff_async()
            return isinstance(found, api.HumanFeedbackPending)

        @api.listen(calls)
        async def after(self, value):
            log.append(value)
            return "outer ended"

    return ran(Outer, log)
