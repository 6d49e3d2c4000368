"""How a paused run goes on: answers, errors, and a second pause."""

from tests.differential.case import attempt, case, outcome
from tests.differential.cases.reviewed import reviewed
from tests.differential.people import Pauses, scripted_model

LABELS = ["approved", "rejected"]


@case("P-3", "P-5", "P-6")
def a_new_instance_resumes_with_the_default_outcome(api):
    log = []
    flow_class = reviewed(api, log)

    async def run():
        store = api.store()
        paused = flow_class(persistence=store)
        await paused.kickoff_async()
        flow = flow_class.from_pending(paused.flow_id, store)
        before = [flow.state["prepared"], flow.flow_id == paused.flow_id, flow.pending_feedback is not None]
        result = await outcome(flow.resume_async(""))
        return {"before": before, "result": result, "fired": log, "history": flow.human_feedback_history}

    return run


@case("P-6")
def a_sync_resume(api):
    log = []
    flow_class = reviewed(api, log)

    def run():
        store = api.store()
        paused = flow_class(persistence=store)
        paused.kickoff()
        result = attempt(lambda: flow_class.from_pending(paused.flow_id, store).resume(""))
        return {"result": result, "fired": log}

    return run


@case("P-6")
def a_resume_without_labels(api):
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="Thoughts?", provider=Pauses(api))
        async def draft(self):
            return "text"

        @api.listen(draft)
        async def hears(self, result):
            log.append(result)
            return "end"

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()
        flow = Example.from_pending(paused.flow_id, store)
        result = await outcome(flow.resume_async("my thoughts"))
        return {"result": result, "heard": log, "outputs": flow.method_outputs}

    return run


@case("P-6")
def a_resume_that_nothing_listens_to(api):
    model, _ = scripted_model(api, [])

    class Words(api.Flow):
        @api.start()
        @api.human_feedback(message="Thoughts?", provider=Pauses(api))
        async def draft(self):
            return "text"

    class Labels(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, default_outcome="rejected", provider=Pauses(api))
        async def draft(self):
            return "text"

    async def resumed(flow_class, words):
        store = api.store(flow_class.__name__)
        paused = flow_class(persistence=store)
        await paused.kickoff_async()
        return await outcome(flow_class.from_pending(paused.flow_id, store).resume_async(words))

    async def run():
        return {"words": await resumed(Words, "mine"), "labels": await resumed(Labels, "")}

    return run


@case("P-6", "HF-17")
def a_run_that_pauses_again(api):
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="One?", provider=Pauses(api))
        async def one(self):
            log.append("one")
            return 1

        @api.listen(one)
        @api.human_feedback(message="Two?", provider=Pauses(api))
        async def two(self, result):
            log.append(["two", result.feedback])
            return 2

        @api.listen(two)
        async def done(self, result):
            log.append(["done", result.feedback])
            return "done"

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        first = await outcome(paused.kickoff_async())
        second = await outcome(Example.from_pending(paused.flow_id, store).resume_async("first words"))
        third = await outcome(Example.from_pending(paused.flow_id, store).resume_async("second words"))
        return {"first": first, "second": second, "third": third, "fired": log}

    return run


@case("P-5", "P-8")
def nothing_pending(api):
    flow_class = reviewed(api, [])

    async def run():
        store = api.store()
        paused = flow_class(persistence=store)
        await paused.kickoff_async()
        unknown = attempt(lambda: flow_class.from_pending("nobody", store) and "found")
        await flow_class.from_pending(paused.flow_id, store).resume_async("")
        again = attempt(lambda: flow_class.from_pending(paused.flow_id, store) and "found")
        return {"unknown": unknown, "after a resume": again}

    return run


@case("P-7")
def resuming_what_never_paused(api):
    flow_class = reviewed(api, [])

    async def run():
        return {"result": await outcome(flow_class(persistence=api.store()).resume_async(""))}

    return run


@case("P-7")
def the_paused_instance_itself_resumes(api):
    log = []
    flow_class = reviewed(api, log)

    async def run():
        flow = flow_class(persistence=api.store())
        await flow.kickoff_async()
        return {"result": await outcome(flow.resume_async("")), "fired": log}

    return run


@case("P-9")
def a_sync_resume_inside_a_loop(api):
    flow_class = reviewed(api, [])

    async def run():
        store = api.store()
        paused = flow_class(persistence=store)
        await paused.kickoff_async()
        flow = flow_class.from_pending(paused.flow_id, store)
        return {"result": attempt(lambda: flow.resume("")), "then": await outcome(flow.resume_async(""))}

    return run


@case("P-4")
def a_model_of_ones_own_reads_a_resumed_answer(api):
    model, calls = scripted_model(api, ["rejected"])
    log = []
    flow_class = reviewed(api, log, llm=model)

    async def run():
        store = api.store()
        paused = flow_class(persistence=store)
        await paused.kickoff_async()
        result = await outcome(flow_class.from_pending(paused.flow_id, store).resume_async("do it over"))
        return {"result": result, "fired": log, "model calls": len(calls)}

    return run


@case("P-10")
def unclear_words_leave_the_request(api):
    model, _ = scripted_model(api, ["purple", "purple", "purple"])
    flow_class = reviewed(api, [], llm=model)

    async def run():
        store = api.store()
        paused = flow_class(persistence=store)
        await paused.kickoff_async()
        flow = flow_class.from_pending(paused.flow_id, store)
        unclear = await outcome(flow.resume_async("hm"))
        result = await outcome(flow.resume_async(""))
        return {"unclear": unclear, "then": result, "history": len(flow.human_feedback_history)}

    return run


@case("P-11")
def a_listener_that_fails_after_the_answer(api):
    log = []

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def draft(self):
            return "text"

        @api.listen(draft)
        async def publish(self, result):
            log.append("publish")
            raise ConnectionError("down")

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()
        first = await outcome(Example.from_pending(paused.flow_id, store).resume_async("fine"))
        again = await outcome(_continued(Example, paused.flow_id, store))
        return {"first": first, "again": again, "fired": log}

    return run


async def _continued(flow_class, flow_id, store):
    """What an engine offers for a run whose step failed after the answer: a second resume, or a way to continue."""
    go_on = getattr(flow_class, "continue_async", None)
    if go_on is None:
        return await flow_class.from_pending(flow_id, store).resume_async("fine")
    return await go_on(flow_id, persistence=store)


@case("P-12")
def two_copies_that_both_resume(api):
    log = []
    flow_class = reviewed(api, log)

    async def run():
        store = api.store()
        paused = flow_class(persistence=store)
        await paused.kickoff_async()
        one, other = (flow_class.from_pending(paused.flow_id, store) for _ in range(2))
        results = [await outcome(one.resume_async("")), await outcome(other.resume_async(""))]
        published = [item for item in log if isinstance(item, list) and item[0] == "publish"]
        return {"results": results, "published": len(published)}

    return run


@case("P-3", "P-5")
def a_pause_without_any_store_given(api):
    flow_class = reviewed(api, [])

    async def run():
        paused = flow_class()
        await paused.kickoff_async()
        return {"result": await outcome(flow_class.from_pending(paused.flow_id).resume_async(""))}

    return run


@case("P-3")
def a_class_with_persist_pauses(api):
    log = []
    store = api.store()
    flow_class = api.persist(store)(reviewed(api, log))

    async def run():
        paused = flow_class()
        pending = await outcome(paused.kickoff_async())
        result = await outcome(flow_class.from_pending(paused.flow_id, store).resume_async(""))
        return {"pending": pending, "result": result, "fired": log}

    return run


@case("P-5", "Ps-2")
def the_store_of_the_class_is_found_again(api):
    store = api.store()
    flow_class = api.persist(store)(reviewed(api, []))

    async def run():
        paused = flow_class()
        await paused.kickoff_async()

        async def resumed():
            return await flow_class.from_pending(paused.flow_id).resume_async("")

        return {"result": await outcome(resumed())}

    return run


@case("P-6")
def a_resume_with_another_kind_of_words(api):
    async def resumed(words):
        class Example(api.Flow):
            @api.start()
            @api.human_feedback(message="Thoughts?", provider=Pauses(api))
            async def draft(self):
                return "text"

        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()
        return await outcome(Example.from_pending(paused.flow_id, store).resume_async(words))

    async def run():
        return {
            "spaces": await resumed("  \n"),
            "other script": await resumed("não 승인 🚀"),
            "long": await resumed("x" * 50),
        }

    return run


@case("P-5", "St-2")
def arguments_of_the_class_at_a_resume(api):
    class Example(api.Flow):
        def __init__(self, greeting="hello", **kwargs):
            super().__init__(**kwargs)
            self.greeting = greeting

        @api.start()
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def draft(self):
            return "text"

        @api.listen(draft)
        async def after(self, result):
            return f"{self.greeting} {result.feedback}"

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()

        async def resumed(**kwargs):
            return await Example.from_pending(paused.flow_id, store, **kwargs).resume_async("Ana")

        return {"given": await outcome(resumed(greeting="good day"))}

    return run


@case("P-11", "P-8")
def a_listener_that_failed_leaves_nothing_pending(api):
    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", provider=Pauses(api))
        async def draft(self):
            return "text"

        @api.listen(draft)
        async def publish(self, result):
            raise ConnectionError("down")

    async def run():
        store = api.store()
        paused = Example(persistence=store)
        await paused.kickoff_async()
        await outcome(Example.from_pending(paused.flow_id, store).resume_async("fine"))
        return {"again": attempt(lambda: Example.from_pending(paused.flow_id, store) and "found")}

    return run
