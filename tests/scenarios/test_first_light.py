"""A flow is reviewed in a thread, end to end."""

from bot.testing import button_labels, text_of


async def test_a_draft_is_sent_back_then_approved_and_published(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review topic=wasps")
    first = await slack.card(thread)
    assert "About wasps, version 1." in text_of(first)

    await slack.press("Bruno", first, "Ask for changes")
    await slack.until(lambda: slack.shows(thread, "version 2."))
    second = await slack.card(thread)
    await slack.press("Bruno", second, "Approve")
    await slack.until(lambda: slack.shows(thread, "Published wasps"))

    transcript = await slack.transcript(thread)
    assert "Bruno asked for changes" in transcript
    assert "✅ Bruno approved" in transcript
    assert transcript.count("before: waiting for review") == 2
    assert [button_labels(message) for message in await slack.messages(thread)].count([]) == len(
        await slack.messages(thread)
    )
