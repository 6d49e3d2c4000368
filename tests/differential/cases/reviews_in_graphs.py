"""Reviews among routers, joins and alternatives, answered at once and after a pause."""

from tests.differential.case import case, outcome, ran
from tests.differential.people import Answers, Pauses, scripted_model
from tests.differential.stores import watched

LABELS = ["approved", "rejected"]


@case("HF-17", "R-11")
def a_review_that_loops_on_its_own_label(api):
    model, _ = scripted_model(api, ["revise", "revise", "approved"])
    log = []

    class Example(api.Flow):
        @api.start()
        async def write(self):
            log.append("write")
            return "v0"

        @api.human_feedback(
            message="OK?",
            emit=["approved", "revise"],
            llm=model,
            provider=Answers("too long", "still too long", "good now"),
        )
        @api.listen(api.or_("write", "revise"))
        async def review(self):
            log.append("review")
            return f"v{log.count('review')}"

        @api.listen("approved")
        async def publish(self, result):
            log.append(["publish", result.output, result.feedback])
            return "published"

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async())
        return {"result": result, "fired": log, "history": flow.human_feedback_history}

    return run


@case("R-9")
def feedback_does_not_reach_later_routers_listeners(api):
    model, _ = scripted_model(api, ["approved"])
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("good"))
        async def draft(self):
            return "text"

        @api.listen("approved")
        async def publish(self, result):
            log.append(["publish", result.feedback])
            return "published"

        @api.router(publish)
        async def later(self):
            return "later_label"

        @api.listen("later_label")
        async def hears(self, value):
            log.append(["hears", value])

    return ran(Example, log)


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


@case("R-9", "HF-5")
def a_router_behind_a_review(api):
    log = []
    model, _ = scripted_model(api, ["approved"])

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("good"))
        async def draft(self):
            return "text"

        @api.router("approved")
        async def size(self, value):
            log.append(["size", value])
            return "small"

        @api.listen("small")
        async def on_small(self, value):
            log.append(["on_small", type(value).__name__ == "HumanFeedbackResult"])

        @api.listen("approved")
        async def on_approved(self, value):
            log.append(["on_approved", value])

    return ran(Example, log)


@case("R-9", "R-10", "HF-5")
def a_join_with_a_reviews_label(api):
    log = []
    model, _ = scripted_model(api, ["approved"])

    class Example(api.Flow):
        @api.start()
        async def prepare(self):
            return "prepared"

        @api.listen(prepare)
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("good"))
        async def review(self):
            return "text"

        @api.listen(api.and_(prepare, "approved"))
        async def with_label(self, value):
            log.append(["with_label", value])

        @api.listen(api.and_(prepare, review))
        async def with_name(self, value):
            log.append(["with_name", value])

    return ran(Example, log)


@case("R-11", "HF-5")
def an_alternative_of_a_reviews_name_and_label(api):
    log = []
    model, _ = scripted_model(api, ["approved"])

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("good"))
        async def review(self):
            return "text"

        @api.listen(api.or_(review, "approved"))
        async def either(self, value):
            log.append(["either", value])

    return ran(Example, log)


@case("HF-5")
def a_review_on_a_router(api):
    log = []
    model, _ = scripted_model(api, ["approved"])

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.router(a)
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("good"))
        async def review(self):
            return "own label"

        @api.listen("own label")
        async def on_own(self):
            log.append("on_own")

        @api.listen("approved")
        async def on_approved(self, result):
            log.append(["on_approved", result.output])

    return ran(Example, log)


@case("HF-5", "G-6")
def decorators_of_a_review_in_both_orders(api):
    async def reviewed(order):
        model, _ = scripted_model(api, ["approved"])
        log = []
        feedback = api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("good"))

        async def review(self, value):
            log.append(["review", value])
            return "text"

        class Example(api.Flow):
            @api.start()
            async def a(self):
                return 1

            listener = order(feedback, api.listen("a"), review)
            review = listener
            del listener

            @api.listen("approved")
            async def publish(self, result):
                log.append(["publish", result.output])

        return [await outcome(Example().kickoff_async()), log]

    async def run():
        return {
            "feedback above": await reviewed(lambda feedback, listen, method: feedback(listen(method))),
            "feedback below": await reviewed(lambda feedback, listen, method: listen(feedback(method))),
        }

    return run


@case("HF-5", "R-14")
def a_reviewed_step_that_fails_asks_nobody(api):
    provider = Answers()

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=provider)
        async def draft(self):
            raise ValueError("no text")

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async())
        return {"result": result, "shown": provider.shown, "history": flow.human_feedback_history}

    return run


@case("HF-5", "Ps-1")
def a_review_in_a_flow_that_saves(api):
    log = []

    @api.persist(watched(api, log))
    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Answers("fine"))
        async def draft(self):
            return "text"

        @api.listen(draft)
        async def after(self):
            return "end"

    async def run():
        return {"result": await outcome(Example().kickoff_async()), "saved": log}

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
