"""What is saved, when, and where."""

from tests.differential.case import attempt, case, outcome
from tests.differential.stores import watched


@case("Ps-1")
def a_class_saves_after_every_method(api):
    log = []

    @api.persist(watched(api, log))
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.router(a)
        async def r(self):
            return "go"

        @api.listen("go")
        async def b(self):
            return 2

    async def run():
        return {"result": await outcome(Example().kickoff_async()), "saved": log}

    return run


@case("Ps-1")
def a_method_saves_after_itself(api):
    log = []
    store = watched(api, log)

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.persist(store)
        @api.listen(a)
        async def b(self):
            return 2

        @api.listen(b)
        async def c(self):
            return 3

    async def run():
        return {"result": await outcome(Example().kickoff_async()), "saved": log}

    return run


@case("Ps-1")
def a_class_and_a_method_save_once(api):
    by_class, by_method = [], []
    method_store = watched(api, by_method, "method")

    @api.persist(watched(api, by_class, "class"))
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.persist(method_store)
        @api.listen(a)
        async def b(self):
            return 2

    async def run():
        return {"result": await outcome(Example().kickoff_async()), "class": by_class, "method": by_method}

    return run


@case("Ps-1")
def persist_without_parentheses(api):
    def run():
        def build():
            @api.persist
            class Example(api.Flow):
                @api.start()
                def a(self):
                    return 1

            return Example().kickoff()

        return {"result": attempt(build)}

    return run


@case("Ps-2")
def the_constructors_store_beats_the_decorators(api):
    decorated, constructed = [], []

    @api.persist(watched(api, decorated, "decorated"))
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

    async def run():
        store = watched(api, constructed, "constructed")
        result = await outcome(Example(persistence=store).kickoff_async())
        return {"result": result, "decorated": decorated, "constructed": constructed}

    return run


@case("Ps-2")
def a_constructors_store_without_persist(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            self.state["n"] = self.state.get("n", 0) + 1
            return self.state["n"]

        @api.listen(a)
        async def b(self, value):
            return value

    async def run():
        store = watched(api, log)
        first = Example(persistence=store)
        await first.kickoff_async()
        second = await outcome(Example(persistence=store).kickoff_async(inputs={"id": first.flow_id}))
        return {"saved": log, "second": second}

    return run


@case("Ps-10")
def a_failing_save_stops_the_run(api):
    log = []

    class Failing(api.SQLiteFlowPersistence):
        def save_state(self, flow_uuid, method_name, state_data):
            raise OSError("disk full")

    @api.persist(api.opened(Failing(str(api.storage / "failing.db"))))
    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")

        @api.listen(a)
        async def b(self):
            log.append("b")

    async def run():
        return {"result": await outcome(Example().kickoff_async()), "fired": log}

    return run


@case("Ps-1", "R-14")
def a_failing_step_leaves_what_was_saved_before(api):
    store = api.store()

    @api.persist(store)
    class Example(api.Flow):
        @api.start()
        async def a(self):
            self.state["n"] = 1

        @api.listen(a)
        async def b(self):
            self.state["n"] = 2
            raise ValueError("no")

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async())
        return {"result": result, "stored": store.load_state(flow.flow_id)["n"]}

    return run


@case("Ps-8")
def a_store_by_its_own_methods(api):
    def run():
        store = api.store()
        store.save_state("f", "a", {"id": "f", "n": 1})
        store.save_state("f", "b", {"id": "f", "n": 2})
        context = api.PendingFeedbackContext(
            flow_id="g", flow_class="m.C", method_name="draft", method_output="text", message="OK?", emit=["yes", "no"]
        )
        store.save_pending_feedback("g", context, {"id": "g", "n": 3})
        pending = store.load_pending_feedback("g")
        store.clear_pending_feedback("g")
        return {
            "newest": store.load_state("f"),
            "unknown": store.load_state("nobody"),
            "pending": [pending[0], pending[1].method_name, pending[1].emit, pending[1].message],
            "cleared": store.load_pending_feedback("g"),
        }

    return run
