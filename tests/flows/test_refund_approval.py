from __future__ import annotations

import pytest

from flows import HumanFeedbackPending, MemoryFlowPersistence
from flows.examples import RefundApprovalFlow


class Pausing:
    def request_feedback(self, context, flow) -> str:
        raise HumanFeedbackPending(context=context)


@pytest.mark.parametrize(
    ("outcome", "ends_with"),
    [
        pytest.param("approved", "Refunded 4,200.00 USD to Acme.", id="paid-as-approved"),
        pytest.param("rejected", "No refund for Acme: 4,200.00 USD stay where they are.", id="nothing-is-paid"),
    ],
)
async def test_a_refund_ends_as_it_was_decided(outcome, ends_with) -> None:
    store = MemoryFlowPersistence()
    flow = RefundApprovalFlow(persistence=store, human_feedback_provider=Pausing())
    paused = await flow.kickoff_async(inputs={"customer": "Acme", "amount": "4200.00"})

    again = await RefundApprovalFlow.from_pending_async(paused.context.flow_id, store)

    assert await again.resume_async("", outcome=outcome) == ends_with


async def test_what_is_shown_is_what_would_be_paid() -> None:
    flow = RefundApprovalFlow(persistence=MemoryFlowPersistence(), human_feedback_provider=Pausing())

    paused = await flow.kickoff_async(inputs={"customer": "Acme", "amount": "4200.00", "reason": "Broken"})

    shown = paused.context.method_output
    assert (shown.customer, str(shown.amount), shown.currency, shown.reason) == ("Acme", "4200.00", "USD", "Broken")
