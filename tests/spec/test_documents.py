"""The human feedback guides' own programs run on this engine, with only their import lines changed.

They are read where they lie and are not part of this repository; `documents_reading` says where they are looked for.
"""

import ast
import asyncio
import dataclasses
import re
import subprocess
import sys

import pytest

from flows import Flow, HumanFeedbackPending, HumanFeedbackResult, PendingFeedbackContext, human_feedback, listen, start
from tests.spec.documents_reading import DECORATED, NUMBERS, Block, blocks, folder, parsed, printed_session
from tests.spec.documents_reflow import flatten, reflow
from tests.spec.documents_running import (
    Crew,
    Desk,
    Terminal,
    flow_around,
    functions_in_order,
    names_of_the_page,
    run_program,
    vendor_module,
)

pytestmark = pytest.mark.skipif(
    folder() is None, reason="the documents are absent: set PLACET_DOCUMENTS to the folder that holds 000_*.txt"
)
NEWER = ("000", "002")
OLDER = ("001",)
MODEL = "gpt-4o-mini"
tested: set[tuple[str, str]] = set()


def of(key, numbers=NUMBERS):
    """Runs the test for the program with this key, in each of these documents."""
    tested.update((number, key) for number in numbers)
    return pytest.mark.parametrize("block", [(number, key) for number in numbers], indirect=True, ids=numbers)


@pytest.fixture
def block(request) -> Block:
    number, key = request.param
    [found] = [block for block in blocks(number) if block.key == key]
    return found


@pytest.fixture
def terminal(monkeypatch):
    """Puts a person at the terminal who types these lines."""
    return lambda *lines: monkeypatch.setattr(sys, "stdin", Terminal(lines))


@pytest.fixture
def model(monkeypatch):
    """Has the vendor's model answer with these labels; gives the list of models asked."""

    def answering(*labels):
        module, asked = vendor_module(labels)
        monkeypatch.setitem(sys.modules, "litellm", module)
        return asked

    return answering


@pytest.mark.parametrize("number", NUMBERS)
def test_every_program_of_the_document_is_tested_here(number):
    assert {key for document, key in tested if document == number} == {block.key for block in blocks(number)}


@pytest.mark.parametrize(("number", "count"), [("000", 21), ("001", 19), ("002", 21)])
def test_every_program_of_the_document_is_found(number, count):
    assert len(blocks(number)) == count


@pytest.mark.parametrize(
    "block", [(number, block.key) for number in OLDER if folder() for block in blocks(number)], indirect=True, ids=str
)
def test_a_flattened_program_gets_exactly_its_own_lines_back(block):
    restored, original = parsed(reflow(flatten(block.code))), parsed(block.code)

    assert [ast.dump(node) for node in restored] == [ast.dump(node) for node in original]


@pytest.mark.parametrize("number", NUMBERS)
def test_only_import_lines_are_changed(number):
    changed = [
        (before, after)
        for block in blocks(number)
        for before, after in zip(block.code.splitlines(), block.engine_code.splitlines(), strict=True)
        if before != after
    ]

    assert changed
    assert [pair for pair in changed if not pair[0].startswith("from crewai.flow")] == []


@of("SimpleReviewFlow")
def test_the_quick_start_passes_the_typed_words_on(block, terminal, capsys):
    terminal("  well done  ")

    flow = run_program(block.engine_code)["flow"]

    assert flow.last_human_feedback.feedback == "well done"
    assert capsys.readouterr().out.endswith(": well done\n")


@of("analyze_data")
def test_without_emit_the_next_listener_gets_the_result_object(block, capsys):
    flow_around(block.engine_code)(human_feedback_provider=Desk(analyze_data=["too long"])).kickoff()

    shown, words = capsys.readouterr().out.splitlines()
    assert "15%" in shown
    assert words.endswith(": too long")


@of("ReviewFlow", NEWER)
def test_free_words_are_read_by_the_model_and_revisions_loop(block, terminal, model, capsys):
    asked = model("needs_revision", "approved")
    terminal("add more detail", "looks fine to me")

    flow = run_program(block.engine_code)["ReviewFlow"]()
    flow.kickoff()

    assert [result.outcome for result in flow.human_feedback_history] == ["needs_revision", "approved"]
    assert asked == [MODEL, MODEL]
    assert capsys.readouterr().out.endswith(": looks fine to me\n")


@of("review_content", OLDER)
@pytest.mark.parametrize("label", ["approved", "rejected", "needs_revision"])
def test_every_label_reaches_its_own_listener(block, label, model, capsys):
    model(label)
    flow = flow_around(block.engine_code)(human_feedback_provider=Desk(review_content=["in my own words"]))

    flow.kickoff()

    listener = {"approved": "publish", "rejected": "discard", "needs_revision": "revise"}[label]
    printed = capsys.readouterr().out
    getattr(flow, listener)(flow.last_human_feedback)
    assert printed == capsys.readouterr().out


@of("HumanFeedbackResult")
def test_the_result_has_the_documented_fields(block):
    documented = run_program(block.engine_code, **names_of_the_page())["HumanFeedbackResult"]

    assert names_of_fields(HumanFeedbackResult) == names_of_fields(documented)


@of("PendingFeedbackContext")
def test_the_context_has_the_documented_fields(block):
    documented = names_of_fields(run_program(block.engine_code, **names_of_the_page())["PendingFeedbackContext"])

    assert names_of_fields(PendingFeedbackContext)[: len(documented)] == documented


def names_of_fields(cls):
    return [field.name for field in dataclasses.fields(cls)]


class AsksForApproval(Flow):
    @start()
    @human_feedback(message="OK?", emit=["approved", "rejected"], default_outcome="rejected")
    def drafting(self):
        return "the draft"


@of("on_approval")
def test_a_listener_of_a_label_gets_the_result_object(block, capsys):
    flow = flow_around(block.engine_code, AsksForApproval)(human_feedback_provider=Desk(drafting=["Approved"]))

    flow.kickoff()

    output, feedback, outcome, received = capsys.readouterr().out.splitlines()
    assert output.endswith(": the draft")
    assert feedback.endswith(": Approved")
    assert outcome.endswith(": approved")
    assert received.endswith(f": {flow.last_human_feedback.timestamp}")


class AsksInSomeMethod(Flow):
    @start()
    @human_feedback(message="And?")
    def some_method(self):
        return "something"


@of("check_feedback")
def test_the_last_feedback_is_at_hand(block, capsys):
    flow_around(block.engine_code, AsksInSomeMethod)(human_feedback_provider=Desk(some_method=["nice"])).kickoff()

    assert capsys.readouterr().out.endswith(": nice\n")


class AsksTwice(Flow):
    @start()
    @human_feedback(message="Good?", emit=["good", "bad"], default_outcome="bad")
    def first_step(self):
        return 1

    @listen("good")
    @human_feedback(message="Any words?")
    def second_step(self):
        return 2

    @listen(second_step)
    def final_step(self):
        return 3


def asked_twice():
    return Desk(first_step=["good"], second_step=["none"])


@of("summarize")
def test_the_history_holds_every_feedback(block, capsys):
    flow_around(block.engine_code, AsksTwice)(human_feedback_provider=asked_twice()).kickoff()

    total, first, second = capsys.readouterr().out.splitlines()
    assert total.endswith(": 2")
    assert first == "1. first_step: good"
    assert second.startswith("2. second_step: ")


@of("create_audit_log")
def test_the_history_makes_an_audit_log(block):
    flow = flow_around(block.engine_code, AsksTwice)(human_feedback_provider=asked_twice())

    log = flow.kickoff()

    first, second = flow.human_feedback_history
    assert log == [
        {"step": "first_step", "outcome": "good", "feedback": "good", "timestamp": first.timestamp.isoformat()},
        {"step": "second_step", "outcome": None, "feedback": "none", "timestamp": second.timestamp.isoformat()},
    ]


@of("ContentState", NEWER)
def test_the_complete_example_prints_the_documented_session(block, terminal, model, capsys):
    session = printed_session(block.document)
    assert session is not None
    model("needs_revision", "approved")
    terminal(*typed_in(session))

    flow = run_program(block.engine_code)["flow"]

    assert flatten(capsys.readouterr().out) == flatten(session)
    assert (flow.state.status, flow.state.revision_count) == ("published", 2)


def typed_in(session: str) -> tuple[str, str]:
    """What the person of the session types: up to the next rule, and the words that are repeated at the end."""
    first, last = session.split("Your feedback: ")[1:]
    words = last.split()
    repeated = [" ".join(words[:count]) for count in range(1, len(words)) if last.count(" ".join(words[:count])) == 2]
    return first.partition(" =====")[0], repeated[-1]


@of("ContentState", OLDER)
@pytest.mark.parametrize(
    ("reply", "returned", "revisions"),
    [("approved", "published", 0), ("rejected", "rejected", 0), ("", "revision_requested", 1)],
)
def test_the_complete_example_ends_as_the_reviewer_says(block, reply, returned, revisions, terminal, capsys):
    terminal("bees", reply)

    namespace = run_program(block.engine_code)

    assert namespace["result"] == returned
    assert namespace["flow"].state.revision_count == revisions
    assert namespace["flow"].state.topic == "bees"


class NamesOtherMethods(Flow):
    @start()
    def other_method(self):
        return "data"

    @start()
    def upstream_method(self):
        return "upstream"


@of("my_start_method")
def test_feedback_combines_with_other_decorators(block):
    desk = Desk(my_start_method=["approved"], my_listener=["good"], review_with_loop=["revise", "approved"])

    flow_around(block.engine_code, NamesOtherMethods)(human_feedback_provider=desk).kickoff()

    assert {("my_start_method", "content"), ("my_listener", "processed: data")} <= set(desk.seen)
    in_loop = [seen for seen in desk.seen if seen[0] == "review_with_loop"]
    assert in_loop == [("review_with_loop", "content for review")] * (2 * block.code.count("def review_with_loop"))


@of("generate", NEWER)
def test_a_self_loop_reviews_again_until_the_label_changes(block):
    desk = Desk(review=["revise", "revise", ""])
    flow = flow_around(block.engine_code)(human_feedback_provider=desk)

    assert flow.kickoff() == "published"
    assert [result.outcome for result in flow.human_feedback_history] == ["revise", "revise", "approved"]


@of("draft", NEWER)
def test_a_router_s_label_may_start_the_next_router(block):
    desk = Desk(draft=["approved"], final_review=["publish"])

    assert flow_around(block.engine_code)(human_feedback_provider=desk).kickoff() == "published"
    assert desk.seen == [("draft", "draft content"), ("final_review", "final content")]


def completed(block):
    """The block's decorators, each on a method of the reader's own."""
    pieces = [piece for piece in re.split(r"(?m)^(?=@)", block.engine_code) if piece.startswith("@")]
    return [f"@start()\n{piece.rstrip()}\ndef {DECORATED}(self):\n    return 'a summary'\n" for piece in pieces]


@of("@@")
def test_both_messages_can_be_asked(block):
    desks = [Desk(**{DECORATED: ["yes"]}) for _ in completed(block)]
    flows = [
        flow_around(piece)(human_feedback_provider=desk) for piece, desk in zip(completed(block), desks, strict=True)
    ]

    assert [flow.kickoff().feedback for flow in flows] == ["yes", "yes"]


@of("@")
def test_enter_means_the_default_outcome(block):
    [piece] = completed(block)
    flow = flow_around(piece)(human_feedback_provider=Desk(**{DECORATED: [""]}))

    flow.kickoff()

    assert flow.last_human_feedback.outcome == "needs_revision"


@of("emit")
@pytest.mark.parametrize("place", [0, 1], ids=["good-names", "poor-names"])
def test_the_lists_of_labels_can_be_emitted(block, place):
    emit = [run_program(piece)["emit"] for piece in re.split(r"(?m)^(?=emit)", block.code) if "emit" in piece][place]

    class Labels(Flow):
        @start()
        @human_feedback(message="Which?", emit=emit, default_outcome=emit[0])
        def asking(self):
            return None

    flow = Labels(human_feedback_provider=Desk(asking=[emit[-1].upper()]))
    flow.kickoff()

    assert flow.last_human_feedback.outcome == emit[-1]


class Notified:
    """What a provider's notification function was told."""

    def __init__(self):
        self.contexts = []

    def send_notification(self, context):
        self.contexts.append(context)


def webhook_program(block):
    """The page's program with a webhook, and the notifications that its provider sent."""
    # Its import line lacks `listen`, which the program uses; every other program of the page imports it.
    namespace = run_program(block.engine_code, listen=listen)
    notified = Notified()
    namespace["WebhookProvider"].send_notification = lambda provider, context: notified.send_notification(context)
    return namespace, notified


@of("WebhookProvider")
def test_a_provider_that_pauses_makes_kickoff_return_the_request(block):
    namespace, notified = webhook_program(block)

    pending = namespace["ReviewFlow"]().kickoff()

    assert isinstance(pending, HumanFeedbackPending)
    assert pending.callback_info == {"webhook_url": f"https://myapp.com/api/{pending.context.flow_id}"}
    assert [context.request_id for context in notified.contexts] == [pending.context.request_id]


def same_document(block, key):
    [found] = [other for other in blocks(block.document) if other.key == key]
    return found


@of("flow")
def test_a_paused_flow_says_where_it_waits(block, capsys):
    namespace, _ = webhook_program(same_document(block, "WebhookProvider"))

    ran = run_program(block.engine_code, **namespace)

    flow_id = ran["flow"].flow_id
    where, who = capsys.readouterr().out.splitlines()
    assert where.endswith(f": https://myapp.com/api/{flow_id}")
    assert who == f"Flow ID: {flow_id}"


@of("handle_feedback_webhook")
@pytest.mark.parametrize("place", [0, 1], ids=["sync", "async"])
def test_a_webhook_resumes_the_flow(block, place):
    namespace, _ = webhook_program(same_document(block, "WebhookProvider"))
    pending = namespace["ReviewFlow"]().kickoff()
    handlers = functions_in_order(block.engine_code, "handle_feedback_webhook", namespace)
    assert [asyncio.iscoroutinefunction(handler) for handler in handlers] == [False, True]

    returned = handlers[place](pending.context.flow_id, "approved")

    published = namespace["ReviewFlow"].publish(None, None)
    assert (asyncio.run(returned) if place else returned) == published


def pipeline_program(block):
    """The page's pipeline, and what its provider posted."""
    namespace = run_program(block.engine_code)
    posted = []

    def post_to_slack(provider, *, channel, message):
        posted.append((channel, message))
        return "thread-1"

    namespace["SlackNotificationProvider"].post_to_slack = post_to_slack
    return namespace, posted


@of("SlackNotificationProvider")
def test_the_pipeline_posts_its_question_and_pauses(block):
    namespace, posted = pipeline_program(block)

    started = namespace["start_content_pipeline"]()

    assert started["status"] == "pending"
    [(channel, message)] = posted
    assert channel == "#content-reviews"
    assert namespace["ContentPipeline"].generate_content(None) in message


@of("SlackNotificationProvider")
@pytest.mark.parametrize(("label", "status"), [("approved", "published"), ("rejected", "archived")])
def test_the_pipeline_goes_on_with_what_slack_says(block, label, status, model):
    asked = model(label)
    namespace, _ = pipeline_program(block)
    started = namespace["start_content_pipeline"]()

    assert namespace["on_slack_feedback"](started["flow_id"], "in my own words") == {"status": status}
    assert asked == [MODEL]


@of("SlackNotificationProvider")
def test_the_pipeline_goes_on_in_an_async_handler(block):
    namespace, _ = pipeline_program(block)
    started = namespace["start_content_pipeline"]()

    returned = asyncio.run(namespace["on_slack_feedback_async"](started["flow_id"], "Rejected"))

    assert returned == {"status": "archived"}


def article_flow(block):
    """The page's article flow with a crew of the reader's."""
    article = run_program(block.engine_code, **names_of_the_page())["ArticleReviewFlow"]
    article.crew = Crew("an article")
    return article


@of("ArticleReviewFlow", NEWER)
def test_a_learning_review_loops_over_what_the_crew_wrote(block, capsys):
    article = article_flow(block)

    article(human_feedback_provider=Desk(review_article=["needs_revision", "approved"])).kickoff()

    assert capsys.readouterr().out == "Publishing: article draft\n"
    assert article.crew.inputs == [{"topic": "AI Safety"}]


@of("ArticleReviewFlow", OLDER)
@pytest.mark.parametrize(
    ("label", "printed"),
    [("approved", "Publishing: an article\n"), ("needs_revision", "Revising based on feedback...\n")],
)
def test_a_learning_start_reviews_what_the_crew_wrote(block, label, printed, capsys):
    article_flow(block)(human_feedback_provider=Desk(generate_article=[label])).kickoff()

    assert capsys.readouterr().out == printed


@of("SimpleReviewFlow")
def test_the_quick_start_runs_unmodified_under_the_alias(block, tmp_path):
    assert under_the_alias(block, tmp_path).endswith(": approved\n")


@of("ContentState")
def test_the_complete_example_runs_unmodified_under_the_alias(block, tmp_path):
    assert "approved\n" in under_the_alias(block, tmp_path)


def under_the_alias(block, folder):
    """What the program prints when not even its import lines are changed and the reviewer always approves."""
    program = folder / "program.py"
    program.write_text(f"import flows.compat.crewai\n{block.code}", "utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", program],
        input="approved\n" * 2,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
