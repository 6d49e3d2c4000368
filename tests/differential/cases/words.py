"""What a person's words become: labels, a model's reading, and who is asked."""

import io
import sys
from contextlib import contextmanager

from tests.differential.case import attempt, case, outcome
from tests.differential.people import Answers, scripted_model

LABELS = ["approved", "rejected"]


@contextmanager
def terminal(typed):
    """A terminal at which this was typed; gives what was printed."""
    printed, before = io.StringIO(), (sys.stdin, sys.stdout)
    sys.stdin, sys.stdout = io.StringIO(typed), printed
    try:
        yield printed
    finally:
        sys.stdin, sys.stdout = before


@case("HF-8")
def empty_words(api):
    async def answered(words, **arguments):
        model, calls = scripted_model(api, [])

        class Example(api.Flow):
            @api.start()
            @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers(words), **arguments)
            async def draft(self):
                return "text"

            @api.listen("approved")
            async def on_approved(self):
                return "approved ran"

            @api.listen("rejected")
            async def on_rejected(self):
                return "rejected ran"

        flow = Example()
        result = await outcome(flow.kickoff_async())
        return [result, flow.last_human_feedback, len(calls)]

    async def run():
        return {
            "default": await answered("", default_outcome="rejected"),
            "spaces": await answered(" \n ", default_outcome="rejected"),
            "no default": await answered(""),
        }

    return run


@case("HF-9", "HF-10", "HF-11")
def forms_of_a_models_answer(api):
    async def read(words, *answers):
        model, calls = scripted_model(api, answers)

        class Example(api.Flow):
            @api.start()
            @api.human_feedback(
                message="OK?",
                emit=["approved", "needs_work"],
                llm=model,
                default_outcome="needs_work",
                provider=Answers(words),
            )
            async def draft(self):
                return "text"

        flow = Example()
        result = await outcome(flow.kickoff_async())
        label = flow.last_human_feedback.outcome if flow.last_human_feedback else None
        return {"label": label, "structured": calls, "result": result}

    class Shaped:
        outcome = "needs_work"

    async def run():
        return {
            "a model object": await read("fine by me", lambda wanted: wanted(outcome="approved")),
            "an object": await read("do it over", Shaped()),
            "json": await read("do it over", '{"outcome": "needs_work"}'),
            "text": await read("fine by me", "approved"),
            "text with case and spaces": await read("fine by me", "  Approved \n"),
            "structured fails": await read("fine by me", RuntimeError("no tools"), "approved"),
        }

    return run


@case("HF-9")
def words_that_are_a_label(api):
    model, calls = scripted_model(api, ["approved"])

    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("approved"))
        async def draft(self):
            return "text"

        @api.listen("approved")
        async def on_approved(self, result):
            return result.outcome

    async def run():
        result = await outcome(Example().kickoff_async())
        return {"result": result, "model calls": len(calls)}

    return run


@case("HF-13")
def an_answer_that_only_contains_a_label(api):
    async def read(answer):
        model, _ = scripted_model(api, [answer, answer])

        class Example(api.Flow):
            @api.start()
            @api.human_feedback(message="OK?", emit=LABELS, llm=model, provider=Answers("some free words"))
            async def draft(self):
                return "text"

            @api.listen("approved")
            async def publish(self):
                return "published"

        return await outcome(Example().kickoff_async())

    async def run():
        return {
            "a negated label": await read("Not approved, needs work"),
            "a sentence": await read("The label is rejected"),
        }

    return run


@case("HF-14")
def an_answer_that_is_no_label(api):
    async def read(*answers):
        model, _ = scripted_model(api, answers)
        log = []

        class Example(api.Flow):
            @api.start()
            @api.human_feedback(
                message="OK?", emit=LABELS, llm=model, default_outcome="rejected", provider=Answers("some free words")
            )
            async def draft(self):
                return "text"

            @api.listen(api.or_("approved", "rejected"))
            async def went_on(self):
                log.append("went_on")

        return [await outcome(Example().kickoff_async()), log]

    async def run():
        return {
            "another word": await read("purple", "purple"),
            "both requests fail": await read(RuntimeError("down"), RuntimeError("down")),
        }

    return run


@case("HF-15")
def who_is_asked(api):
    class Asynchronous:
        async def request_feedback(self, context, flow):
            return "from the coroutine"

    class Numbers:
        def request_feedback(self, context, flow):
            return 42

    class NoMethod:
        pass

    async def asked(provider, configured=None):
        api.flow_config.hitl_provider = configured

        class Example(api.Flow):
            @api.start()
            @api.human_feedback(message="OK?", provider=provider)
            async def draft(self):
                return "text"

        flow = Example()
        result = await outcome(flow.kickoff_async())
        api.flow_config.hitl_provider = None
        return result

    async def run():
        return {
            "the step's": await asked(Answers("step"), Answers("configured")),
            "the configured": await asked(None, Answers("configured")),
            "a coroutine": await asked(Asynchronous()),
            "not text": await asked(Numbers()),
            "no method": await asked(NoMethod()),
        }

    return run


@case("HF-15", "HF-16")
def the_console_is_asked_last(api):
    class Example(api.Flow):
        @api.start()
        @api.human_feedback(message="Is this fine?")
        def draft(self):
            return "the [bold] text"

    def run():
        with terminal("  yes, fine  \n") as printed:
            result = attempt(lambda: Example().kickoff())
        shown = printed.getvalue()
        return {
            "result": result,
            "output shown": "the [bold] text" in shown,
            "message shown": "Is this fine?" in shown,
            "rule of equals signs": "=" * 50 in shown,
            "title": "OUTPUT FOR REVIEW:" in shown,
        }

    return run
