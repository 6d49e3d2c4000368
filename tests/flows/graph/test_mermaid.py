"""A flow as mermaid text."""

from flows import Flow, and_, listen, router, start
from flows.plot import mermaid_of


class Some(Flow):
    @start()
    def begin(self):
        pass

    @router(begin, emit=['say "yes"', "a|b"])
    def choose(self):
        return "a|b"

    @listen('say "yes"')
    def hears(self):
        pass

    @listen("a|b")
    def other(self):
        pass

    @listen(and_(begin, hears))
    def joins(self):
        pass


def test_the_text_draws_every_step_and_every_edge():
    assert (
        mermaid_of(Some)
        == """\
flowchart LR
    begin(["begin"])
    choose{"choose"}
    hears["hears"]
    other["other"]
    joins["joins"]
    begin --> choose
    begin -.-> joins
    hears -.-> joins
    choose -->|"say 'yes'"| hears
    choose -->|"a/b"| other
"""
    )
