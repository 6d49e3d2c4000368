"""Flattened programs get their lines back: the rules by which the guides are read, on programs of our own."""

import ast
from textwrap import dedent

import pytest

from tests.spec.documents_reflow import NotReflowable, flatten, reflow

PROGRAMS = {
    "statements-end-between-operands": """
        count = 1
        total = count + 2
        print(total)
        name: str = "x"
        other: list[int] | None
        count += 1
        """,
    "an-if-after-an-operand-is-a-ternary-when-else-comes-first": """
        def pick(flag):
            first = 1 if flag else 2
            if first in (1, 2):
                return first
            return None if first else flag
        """,
    "imports-end-where-the-next-one-starts": """
        from a.b import c, d
        from e import (
            f,
            g as h,
        )
        import i
        class J: ...
        """,
    "methods-return-to-their-class-and-calls-of-it-leave-it": '''
        class Kettle(Base):
            """Boils."""

            size: int = 3

            def __init__(self, size):
                self.size = size

            @heard("lid # not a comment")
            async def boil(self):
                await self.wait()

        kettle = Kettle(3)
        kettle.boil()
        ''',
    "a-loop-does-not-return-in-its-first-round": """
        def collect(self):
            found = []
            for index, item in enumerate(self.items):
                found.append({"index": index, "item": item})
            return found
        """,
    "else-belongs-to-the-open-if": """
        if isinstance(kettle, Kettle):
            print("a kettle")
            print(kettle)
        else:
            print("none")
        """,
    "functions-without-self-stand-in-the-module": """
        class Kettle:
            def boil(self):
                return 1

        @cached
        def make(size):
            kettle = build(size)
            if kettle is None:
                return {"size": 0}
            return kettle

        async def make_later(size):
            return await later(size)
        """,
    "comments-end-before-the-next-statement": """
        # How many (at most) there are
        count = 3
        total: int  # the sum of them
        # first part - nothing
        # second part
        print(count)  # "shown"
        make(
            size=1,  # in litres (metric)
            lid=True,  # with a lid
        )
        # Made for async, sync and so on:
        async def last():
            # Only at the end
            raise Ended(reason="end")
        """,
    "decorators-alone": """
        # good
        @asks(message="Is it 'hot'?")
        def one(self): return 1
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_survives_being_flattened(program):
    program = dedent(program)

    assert ast.dump(ast.parse(reflow(flatten(program)))) == ast.dump(ast.parse(program))


@pytest.mark.parametrize("text", ["x = $", "print(1) else: print(2)"])
def test_what_is_no_program_is_refused(text):
    with pytest.raises(NotReflowable):
        reflow(text)
