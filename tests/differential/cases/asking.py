"""ask(): one line of text from a person in the middle of a step."""

import io
import sys
import threading

from tests.differential.case import attempt, case, outcome
from tests.differential.people import Types
from tests.differential.stores import watched


def asking(api, provider, *, timeout=None, metadata=None):
    """A flow of one step that asks."""

    class Asking(api.Flow):
        @api.start()
        def first(self):
            return self.ask("Name?", timeout=timeout, metadata=metadata)

    return Asking(input_provider=provider)


def noted(flow):
    """What the flow noted of its questions."""
    return [
        [entry["message"], entry["response"], entry["method_name"], entry["metadata"], entry["response_metadata"]]
        for entry in flow._input_history  # the one name that both engines have
    ]


@case("A-1", "A-2", "A-3")
def answers_to_a_question(api):
    def answered(*script, **options):
        provider = Types(*script)
        flow = asking(api, provider, **options)
        return {"result": attempt(flow.kickoff), "noted": noted(flow), "asked": provider.asked}

    def run():
        return {
            "text": answered("Ana"),
            "enter": answered(""),
            "none": answered(None),
            "an error": answered(RuntimeError("no line")),
            "a response": answered(api.InputResponse(text="Ana", metadata={"by": "u1"}), metadata={"k": 1}),
        }

    return run


@case("A-1")
def a_question_that_times_out(api):
    released = threading.Event()

    class Slow:
        def request_input(self, message, flow, metadata=None):
            released.wait(5)
            return "too late"

    def run():
        flow = asking(api, Slow(), timeout=0.1)
        result = attempt(flow.kickoff)
        released.set()
        return {"result": result, "noted": noted(flow)}

    return run


@case("A-2")
def the_configured_provider_is_asked(api):
    def run():
        api.flow_config.input_provider = Types("configured")
        return {"result": attempt(asking(api, None).kickoff)}

    return run


@case("A-2", "A-7")
def the_console_asks(api):
    def run():
        before = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = io.StringIO("  Ana \n"), io.StringIO()
        try:
            result = attempt(asking(api, None).kickoff)
            shown = sys.stdout.getvalue()
        finally:
            sys.stdin, sys.stdout = before
        return {"result": result, "message shown": "Name?" in shown, "prompt shown": ">>> " in shown}

    return run


@case("A-4")
def the_state_is_saved_before_a_question(api):
    log = []

    @api.persist(watched(api, log))
    class Example(api.Flow):
        @api.start()
        def first(self):
            return self.ask("Name?")

    return lambda: {
        "result": attempt(Example(input_provider=Types("Ana")).kickoff),
        "saved": log,
    }


@case("A-4")
def the_constructors_store_before_a_question(api):
    log = []

    class Example(api.Flow):
        @api.start()
        def first(self):
            return self.ask("Name?")

    def run():
        store = watched(api, log)
        return {"result": attempt(Example(input_provider=Types("Ana"), persistence=store).kickoff), "saved": log}

    return run


@case("A-1")
def several_questions_in_one_run(api):
    class Example(api.Flow):
        @api.start()
        def first(self):
            return self.ask("One?")

        @api.listen(first)
        def second(self, value):
            return [value, self.ask("Two?"), self.ask("Three?")]

    def run():
        flow = Example(input_provider=Types("1", "2", "3"))
        return {"result": attempt(flow.kickoff), "noted": noted(flow)}

    return run


@case("A-1", "A-6")
def a_question_in_an_async_step(api):
    class Example(api.Flow):
        @api.start()
        async def first(self):
            return self.ask("Name?")

    async def run():
        flow = Example(input_provider=Types("Ana"))
        return {"result": await outcome(flow.kickoff_async()), "noted": noted(flow)}

    return run


@case("A-2")
def providers_of_other_kinds(api):
    class Asynchronous:
        async def request_input(self, message, flow, metadata=None):
            return "from the coroutine"

    class Numbers:
        def request_input(self, message, flow, metadata=None):
            return 42

    def run():
        return {
            "a coroutine": attempt(asking(api, Asynchronous()).kickoff),
            "a number": attempt(asking(api, Numbers()).kickoff),
        }

    return run
