"""The labelled review that several cases pause in."""

from tests.differential.people import Pauses, scripted_model

LABELS = ["approved", "rejected"]


def reviewed(api, log, **arguments):
    """A flow with a labelled review that pauses; an empty answer is "approved"."""
    model, _ = scripted_model(api, [])
    settings = {"emit": LABELS, "llm": model, "default_outcome": "approved", "provider": Pauses(api), **arguments}

    class Reviewed(api.Flow):
        @api.start()
        async def prepare(self):
            log.append("prepare")
            self.state["prepared"] = True
            return "prepared"

        @api.listen(prepare)
        @api.human_feedback(message="OK?", **settings)
        async def draft(self):
            log.append("draft")
            return "draft text"

        @api.listen("approved")
        async def publish(self, result):
            log.append(["publish", result.output, result.feedback, result.outcome])
            return "published"

        @api.listen("rejected")
        async def archive(self, result):
            log.append("archive")
            return "archived"

        @api.listen(draft)
        async def on_name(self, value):
            log.append(["on_name", value])

    return Reviewed
