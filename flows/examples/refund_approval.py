"""A refund is proposed, somebody decides, and only then is it paid.

Source: HITL essay, the refund of its first paragraph.
"""

from __future__ import annotations

from decimal import Decimal

from pydantic import BaseModel, Field

from flows import Flow, HumanFeedbackResult, human_feedback, listen, start


class RefundState(BaseModel):
    """What was asked for."""

    customer: str = "A customer"
    amount: Decimal = Field(default=Decimal("120.00"), gt=0, max_digits=12, decimal_places=2)
    currency: str = "USD"
    reason: str = "The parcel never arrived."


class Refund(BaseModel):
    """What a reviewer is shown, and what would be paid."""

    customer: str
    amount: Decimal
    currency: str
    reason: str


class RefundApprovalFlow(Flow[RefundState]):
    """Proposes a refund and pays it once somebody has approved it.

    Inputs: `customer`, `amount` (such as 4200.00), `currency` and `reason`. No language model is needed, and no money
    moves.
    """

    name = "refund_approval"
    inputs = ("customer", "amount", "currency", "reason")

    @start()
    @human_feedback(
        message="Refund this customer?",
        emit=["approved", "rejected"],
        default_outcome="rejected",
        metadata={
            "labels": {
                "approved": {"en": "Refund", "pt": "Reembolsar", "ko": "환불"},
                "rejected": {"en": "Decline", "pt": "Recusar", "ko": "거절"},
            },
            # A refused refund is only noted down: that may simply happen again after a crash. Paying may not.
            "repeatable": ["decline"],
        },
    )
    def propose(self) -> Refund:
        """The refund as it would be paid."""
        state = self.state
        return Refund(customer=state.customer, amount=state.amount, currency=state.currency, reason=state.reason)

    @listen("approved")
    def pay(self, result: HumanFeedbackResult) -> str:
        """Pays what was approved, and nothing else."""
        refund: Refund = result.output
        return f"Refunded {refund.amount:,.2f} {refund.currency} to {refund.customer}."

    @listen("rejected")
    def decline(self, result: HumanFeedbackResult) -> str:
        """Notes that it was not paid."""
        refund: Refund = result.output
        return f"No refund for {refund.customer}: {refund.amount:,.2f} {refund.currency} stay where they are."
