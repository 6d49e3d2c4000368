"""A person's answer inside a run: the decorator, its result, and who hears of it."""

import inspect

from tests.differential.case import attempt, case, outcome, ran
from tests.differential.people import Answers, scripted_model

LABELS = ["approved", "rejected"]


@case("HF-1", "HF-3")
def arguments_that_do_not_fit(api):
    def run():
        def decorated(**arguments):
            return attempt(lambda: api.human_feedback(**arguments)(lambda self: None) and "accepted")

        return {
            "no message": decorated(),
            "default outside emit": decorated(message="?", emit=LABELS, llm="m", default_outcome="maybe"),
            "default without emit": decorated(message="?", default_outcome="approved"),
            "emit without a model": decorated(message="?", emit=LABELS, default_outcome="rejected"),
            "emit with an empty model": decorated(message="?", emit=LABELS, llm="", default_outcome="rejected"),
            "empty emit": decorated(message="?", emit=[]),
            "learn": decorated(message="?", learn=True, learn_source="hitl", learn_strict=True),
            "metadata": decorated(message="?", metadata={"k": 1}),
        }

    return run


@case("HF-2")
def a_limit_for_learning(api):
    return lambda: {
        "learn_limit": attempt(
            lambda: api.human_feedback(message="?", learn=True, learn_limit=3)(lambda self: None) and "accepted"
        )
    }


@case("HF-4")
def the_decorator_leaves_the_function(api):
    def run():
        @api.human_feedback(message="?")
        def sync_step(self):
            """Drafts."""
            return 1

        @api.human_feedback(message="?")
        async def async_step(self):
            return 1

        return {
            "names": [sync_step.__name__, async_step.__name__],
            "async": [inspect.iscoroutinefunction(sync_step), inspect.iscoroutinefunction(async_step)],
            "doc": sync_step.__doc__,
        }

    return run


@case("HF-5")
def without_labels_the_result_is_the_methods_result(api):
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Answers("fine words"))
        async def draft(self):
            return "draft text"

        @api.listen(draft)
        async def hears(self, result):
            log.append(result)
            return "end"

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async())
        return {
            "result": result,
            "heard": log,
            "outputs": flow.method_outputs,
            "last": flow.last_human_feedback,
            "history": flow.human_feedback_history,
        }

    return run


@case("HF-5")
def a_review_at_the_end_is_what_kickoff_returns(api):
    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Answers("words"))
        async def draft(self):
            return "draft text"

    return ran(Example, [])


@case("HF-5", "R-15")
def with_labels_the_label_routes(api):
    model, _ = scripted_model(api, ["approved"])
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("looks good to me"))
        async def draft(self):
            log.append("draft")
            return "draft text"

        @api.listen("approved")
        async def on_approved(self, result):
            log.append(["on_approved", result.output, result.feedback, result.outcome])

        @api.listen("rejected")
        async def on_rejected(self, result):
            log.append("on_rejected")

        @api.listen(draft)
        async def on_name(self, value):
            log.append(["on_name", value])

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async())
        return {"result": result, "fired": log, "outputs": flow.method_outputs, "history": flow.human_feedback_history}

    return run


@case("HF-5", "R-15")
def a_labelled_review_at_the_end(api):
    model, _ = scripted_model(api, ["rejected"])

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("please change it"))
        async def draft(self):
            return "draft text"

    return ran(Example, [])


@case("HF-7")
def the_facts_of_a_result(api):
    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", metadata={"tier": "low"}, provider=Answers("words"))
        async def draft(self):
            return {"k": 1}

    async def run():
        flow = Example()
        await flow.kickoff_async()
        last = flow.last_human_feedback
        bare = api.HumanFeedbackResult(output=1, feedback="f")
        return {
            "output": last.output,
            "feedback": last.feedback,
            "outcome": last.outcome,
            "method_name": last.method_name,
            "tier": last.metadata["tier"],
            "metadata keys": sorted(last.metadata),
            "defaults": [bare.outcome, bare.method_name, bare.metadata],
            "own metadata": bare.metadata is not api.HumanFeedbackResult(output=1, feedback="f").metadata,
        }

    return run


@case("HF-17")
def a_reviewed_start_that_emits_its_own_label(api):
    model, _ = scripted_model(api, ["revise", "approved"])
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(
            message="OK?", emit=["approved", "revise"], llm=model, provider=Answers("again please", "good")
        )
        async def draft(self):
            log.append("draft")
            return "text"

        @api.listen("approved")
        async def publish(self):
            log.append("publish")

    return ran(Example, log)


@case("HF-18")
def a_review_after_a_review(api):
    model, _ = scripted_model(api, ["approved", "ship"])
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="Text?", emit=LABELS, llm=model, provider=Answers("good text"))
        async def draft(self):
            return "text"

        @api.listen("approved")
        @api.human_feedback(message="Ship?", emit=["ship", "hold"], llm=model, provider=Answers("off it goes"))
        async def package(self, result):
            log.append(["package", result.feedback])
            return "package"

        @api.listen("approved")
        async def also(self, result):
            log.append(["also", result.feedback])

        @api.listen("ship")
        async def shipped(self, result):
            log.append(["shipped", result.output, result.feedback])
            return "shipped"

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async())
        return {"result": result, "fired": log, "history": flow.human_feedback_history}

    return run


@case("HF-19")
def a_review_of_nothing(api):
    provider = Answers("words")

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=provider)
        def draft(self):
            return None

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async())
        return {"result": result, "shown": provider.shown, "outputs": flow.method_outputs}

    return run


@case("HF-5", "HF-15")
def a_provider_that_fails(api):
    class Broken:
        def request_feedback(self, context, flow):
            raise ConnectionError("no line")

    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Broken())
        async def draft(self):
            return "text"

        @api.listen(draft)
        async def after(self):
            log.append("after")

    return ran(Example, log)


@case("HF-5")
def what_a_provider_is_told(api):
    told = []

    class Curious:
        def request_feedback(self, context, flow):
            told.append(
                {
                    "method": context.method_name,
                    "output": context.method_output,
                    "message": context.message,
                    "emit": context.emit,
                    "default": context.default_outcome,
                    "metadata": context.metadata,
                    "same id": context.flow_id == flow.flow_id,
                    "class": context.flow_class.rpartition(".")[2],
                }
            )
            return ""

    model, _ = scripted_model(api, [])

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(
            message="OK?", emit=LABELS, llm=model, default_outcome="rejected", metadata={"k": 1}, provider=Curious()
        )
        async def draft(self):
            return {"n": 1}

    async def run():
        result = await outcome(Example().kickoff_async())
        return {"result": result, "told": told}

    return run


@case("HF-5", "R-17")
def the_history_after_a_second_kickoff(api):
    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Answers("one", "two"))
        async def draft(self):
            return "text"

    async def run():
        flow = Example()
        await flow.kickoff_async()
        await flow.kickoff_async()
        return {"words": [item.feedback for item in flow.human_feedback_history]}

    return run


@case("HF-1", "HF-4")
def unusual_arguments(api):
    def run():
        def decorated(**arguments):
            return attempt(lambda: api.human_feedback(**arguments)(lambda self: None) and "accepted")

        return {
            "empty message": decorated(message=""),
            "emit as a tuple": decorated(message="?", emit=("yes", "no"), default_outcome="no"),
            "emit as a text": decorated(message="?", emit="yes", default_outcome="y"),
            "labels that differ in case": decorated(message="?", emit=["yes", "Yes"], default_outcome="yes"),
            "an empty label": decorated(message="?", emit=["yes", ""], default_outcome="yes"),
            "default in another case": decorated(message="?", emit=["yes", "no"], default_outcome="No"),
        }

    return run


@case("HF-15")
def a_provider_that_gives_nothing(api):
    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Answers(None))
        async def draft(self):
            return "text"

    return ran(Example, [])


@case("HF-5")
def a_review_in_each_of_two_branches(api):
    log = []
    provider = Answers("first words", "second words")

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.listen(a)
        @api.human_feedback(message="One?", provider=provider)
        async def one(self):
            return "one"

        @api.listen(one)
        @api.human_feedback(message="Two?", provider=provider)
        async def two(self):
            return "two"

        @api.listen(api.and_(one, two))
        async def joined(self, result):
            log.append(result)

    return ran(Example, log)
