"""Reviews among routers, joins and alternatives, answered at once."""

from tests.differential.case import case, outcome, ran
from tests.differential.people import Answers, scripted_model
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
