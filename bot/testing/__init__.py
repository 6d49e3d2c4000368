"""Test a flow, or the whole bot, as people use it: say, click, submit, restart, read the transcript.

Everything is real but Slack, which is the sandbox: the Bolt app, the client, the socket, SQLite. Nothing sleeps; a
test waits for a fact (`until`).

Example:
    async with scenario(tmp_path, ContentReviewFlow) as slack:
        thread = await slack.start("ana", "general", "content_review topic=Bees")
        card = await slack.card(thread)
        await slack.press("bruno", card, "Publish")
        await slack.until(lambda: slack.shows(thread, "Bruno approved"))
"""

from bot.testing.scenario import Scenario, Thread, scenario
from bot.testing.transcript import button_labels, text_of

__all__ = ["Scenario", "Thread", "button_labels", "scenario", "text_of"]
