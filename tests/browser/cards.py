"""The review cards of the brief as Block Kit values: what the page must show beautifully."""

from typing import Any

Block = dict[str, Any]

QUESTION = "Publish “Safe AI in schools”?"
DRAFT = (
    "> Schools adopt AI faster than they write rules for it.\n> Three steps make a difference this term: say which "
    "tools are allowed, teach how to check an answer, and tell parents what data leaves the building.\n"
    "> None of them needs a budget."
)


def mrkdwn(text: str, block_id: str = "text", **more: Any) -> Block:
    return {"type": "section", "block_id": block_id, "text": {"type": "mrkdwn", "text": text}, **more}


def context(*texts: str, block_id: str = "context") -> Block:
    return {"type": "context", "block_id": block_id, "elements": [{"type": "mrkdwn", "text": text} for text in texts]}


def button(text: str, action_id: str, **more: Any) -> Block:
    return {
        "type": "button",
        "action_id": action_id,
        "text": {"type": "plain_text", "text": text},
        "value": "r1:1",
        **more,
    }


def option(text: str, value: str) -> Block:
    return {"text": {"type": "plain_text", "text": text}, "value": value}


def overflow(*texts: str) -> Block:
    return {"type": "overflow", "action_id": "more", "options": [option(text, text.lower()) for text in texts]}


def actions(*elements: Block, block_id: str = "decide") -> Block:
    return {"type": "actions", "block_id": block_id, "elements": list(elements)}


DECIDE = actions(
    button("Publish", "approve", style="primary"),
    button("Reject", "reject"),
    button("Ask for changes", "revise"),
    overflow("Edit and approve", "Ask a question", "Hand over", "History"),
)

PENDING: list[Block] = [
    mrkdwn(f"*{QUESTION}*", "question"),
    context("Content review · asked by <@UANA> · version 1", block_id="who"),
    mrkdwn(DRAFT, "draft", expand=True, accessory=button("Read all · 640 words", "read_all")),
    context(
        "Medium risk · <@UBRUNO> or <!subteam^SEDITORS|@editors> · by <!date^1780000000^{time}|15:30> · "
        "no answer: rejected",
        block_id="terms",
    ),
    DECIDE,
    context("or answer in words here", block_id="words"),
]

QUORUM: list[Block] = [
    *PENDING[:3],
    context("1 of 2 · Bruno approved 14:07 · still needed: one of <!subteam^SFINANCE|@finance>", block_id="quorum"),
    *PENDING[3:5],
]

WORKING: list[Block] = [
    mrkdwn(f"*{QUESTION}*", "question"),
    mrkdwn("✅ Bruno approved · 14:07 · publishing…", "status"),
    mrkdwn(DRAFT, "draft", expand=True),
]

APPROVED: list[Block] = [
    mrkdwn(f"*{QUESTION}*", "question"),
    mrkdwn(
        "✅ Bruno approved · 14:07 · “good to go”\nPublished: <https://example.com/safe-ai|example.com/safe-ai>",
        "status",
    ),
    mrkdwn(DRAFT, "draft", expand=True),
    context("R-204 · version 2 · record 3f9ac2", block_id="record"),
    actions(button("History", "history"), block_id="after"),
]

WORDS: list[Block] = [
    mrkdwn("I read that as *Publish*.", "read_as"),
    actions(button("Yes, publish", "yes"), button("No", "no")),
]

ESCALATED: list[Block] = [
    context(
        "⏰ Bruno did not answer by 15:30 · now with Carla <https://example.com/archives/CREVIEWS/p2|↓>",
        block_id="moved",
    )
]

EXPIRED: list[Block] = [
    mrkdwn("⏰ Nobody answered (Bruno, Carla) · rejected by policy · 15:45 · nothing was published", "ended"),
    actions(button("Ask again", "again")),
]

SENT_BACK: list[Block] = [
    mrkdwn(f"*{QUESTION}*", "question"),
    context("version 2 of at most 10 · Changed after Maria: 2 passages, +48 words", block_id="round"),
    mrkdwn(
        "− Teachers ~should be careful~\n+ Teachers *check each answer against a second source*",
        "changes",
        accessory=button("All changes", "all_changes"),
    ),
    DECIDE,
]

PROPOSALS: list[Block] = [
    mrkdwn("*Which reply goes to ACME?*", "question"),
    mrkdwn(
        "*A · Apology and refund*\n“We are sorry that the delivery came late. The amount is on its way back to you.”",
        "a",
        accessory=button("Choose A", "choose_a"),
    ),
    mrkdwn(
        "*B · Voucher*\n“We would like to make up for it with a voucher for your next order.”",
        "b",
        accessory=button("Choose B", "choose_b"),
    ),
    mrkdwn(
        "*C · Ask for the invoice*\n“Could you send us the invoice number?”",
        "c",
        accessory=button("Choose C", "choose_c"),
    ),
    actions(button("None of these", "none"), overflow("Ask a question", "History")),
]

LONG: list[Block] = [
    mrkdwn("*Approve the Q3 report?*", "question"),
    context("14,200 words · 31 pages", block_id="size"),
    mrkdwn("> Revenue grew in all regions but one. Costs followed more slowly than planned …", "draft"),
    actions(button("Read all", "read_all"), block_id="read"),
    context("q3-report.md is in the thread", block_id="file"),
    actions(
        button("Approve", "approve", style="primary"),
        button(
            "Reject",
            "reject",
            style="danger",
            confirm={
                "title": {"type": "plain_text", "text": "Reject the report?"},
                "text": {"type": "mrkdwn", "text": "This *cannot be undone*."},
                "confirm": {"type": "plain_text", "text": "Reject"},
                "deny": {"type": "plain_text", "text": "Keep it open"},
                "style": "danger",
            },
        ),
        overflow("History"),
    ),
]

HALF_DONE: list[Block] = [
    mrkdwn("⚠️ Bruno approved · 14:07 · refund sent, e-mail failed · nothing runs again by itself   <@UCARLA>", "half"),
    actions(
        button("Retry e-mail", "retry", style="primary"), button("It was done", "done"), button("Undo refund", "undo")
    ),
]

PENDING_KO: list[Block] = [
    mrkdwn("*“학교에서의 안전한 AI”를 게시할까요?*", "question"),
    context("콘텐츠 검토 · 요청: <@UANA> · 버전 1", block_id="who"),
    mrkdwn(
        "> 학교는 규칙을 만드는 속도보다 빠르게 AI를 도입하고 있습니다. 이번 학기에 도움이 되는 세 가지가 있습니다.",
        "draft",
    ),
    context("위험도 중간 · <@UBRUNO> · 15:30까지 · 응답 없으면 반려", block_id="terms"),
    actions(
        button("승인", "approve", style="primary"),
        button("반려", "reject"),
        button("수정 요청", "revise"),
        overflow("기록"),
    ),
]

TABLE: list[Block] = [
    {
        "type": "table",
        "block_id": "table",
        "column_settings": [{"align": "left"}, {"align": "right"}],
        "rows": [
            [{"type": "raw_text", "text": "Region"}, {"type": "raw_text", "text": "Amount"}],
            [{"type": "raw_text", "text": "North"}, {"type": "raw_text", "text": "1,200"}],
            [{"type": "raw_text", "text": "South"}, {"type": "raw_text", "text": "860"}],
        ],
    }
]


def text_input(block_id: str = "reason", **more: Any) -> Block:
    return {
        "type": "input",
        "block_id": block_id,
        "label": {"type": "plain_text", "text": "What should change?"},
        "hint": {"type": "plain_text", "text": "The author sees this."},
        "element": {"type": "plain_text_input", "action_id": "note", "multiline": True, **more},
    }


def labelled(block_id: str, label: str, element: Block, **more: Any) -> Block:
    return {
        "type": "input",
        "block_id": block_id,
        "label": {"type": "plain_text", "text": label},
        "element": {"action_id": block_id, **element},
        **more,
    }


def modal(view_id: str = "V1", title: str = "Ask for changes", blocks: list[Block] | None = None) -> Block:
    return {
        "id": view_id,
        "type": "modal",
        "title": {"type": "plain_text", "text": title},
        "submit": {"type": "plain_text", "text": "Send back"},
        "close": {"type": "plain_text", "text": "Cancel"},
        "blocks": [text_input()] if blocks is None else blocks,
    }


EVERY_INPUT: list[Block] = [
    text_input(),
    labelled("tier", "Risk", {"type": "static_select", "options": [option("Low", "low"), option("High", "high")]}),
    labelled(
        "scope",
        "Scope",
        {
            "type": "radio_buttons",
            "options": [option("This draft", "draft"), option("All drafts", "all")],
            "initial_option": option("This draft", "draft"),
        },
    ),
    labelled(
        "checks",
        "Checks",
        {"type": "checkboxes", "options": [option("Facts", "facts"), option("Tone", "tone"), option("Links", "links")]},
        optional=True,
    ),
    labelled("due", "Due", {"type": "datepicker", "initial_date": "2026-12-01"}, optional=True),
]
