"""What becomes of a typed line: tokens for mentions and links, entities for the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.seed import seeded_workspace
from bot.sandbox.typed_text import escaped, mentions, rich_text, stored_text
from bot.sandbox.vocabulary import UserId

WORKSPACE = seeded_workspace(1_780_000_000.0)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        pytest.param("plain", "plain", id="plain"),
        pytest.param("a & b < c > d", "a &amp; b &lt; c &gt; d", id="control characters"),
        pytest.param("@Ana hi", "<@UANA> hi", id="name"),
        pytest.param("@flow reviews: go", "<@UFLOWBOT>: go", id="name of two words, any case"),
        pytest.param("@ana and @Bruno", "<@UANA> and <@UBRUNO>", id="two"),
        pytest.param("<@UANA> hi", "<@UANA> hi", id="token"),
        pytest.param("<@UNOBODY> hi", "&lt;@UNOBODY&gt; hi", id="token of nobody"),
        pytest.param("<#CGENERAL>", "<#CGENERAL>", id="channel token"),
        pytest.param("@editors: look", "<!subteam^SEDITORS>: look", id="user group"),
        pytest.param("<!subteam^SEDITORS>", "<!subteam^SEDITORS>", id="user group token"),
        pytest.param("<!subteam^SNOBODY>", "&lt;!subteam^SNOBODY&gt;", id="token of no user group"),
        pytest.param("@editorship", "@editorship", id="no mention of half a handle"),
        pytest.param("<!here> look", "<!here> look", id="everybody here"),
        pytest.param("ana@example.test", "ana@example.test", id="an address"),
        pytest.param("mail@Ana", "mail@Ana", id="no mention inside a word"),
        pytest.param("@Anabel", "@Anabel", id="no mention of half a name"),
        pytest.param("see https://a.test/x?b=1&c=2.", "see <https://a.test/x?b=1&amp;c=2>.", id="link"),
        pytest.param("<https://a.test|click>", "&lt;<https://a.test>|click&gt;", id="no masked link"),
        pytest.param("&amp;", "&amp;amp;", id="an entity as typed"),
        pytest.param("<script>", "&lt;script&gt;", id="a tag"),
    ],
)
def test_a_line_is_stored(typed, stored):
    assert stored_text(WORKSPACE, typed) == stored


@given(st.text())
def test_escaped_text_reads_back_and_holds_no_control_character(typed):
    text = escaped(typed)

    assert text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == typed
    assert not {"<", ">"} & set(text)


@given(st.text(alphabet=st.characters(exclude_characters="@<:", exclude_categories=["Cs"])))
def test_a_line_without_mentions_and_links_is_only_escaped(typed):
    assert stored_text(WORKSPACE, typed) == escaped(typed)


def test_rich_text_has_the_same_parts_unescaped():
    block = rich_text(WORKSPACE, "@Ana a < b <!here> @Editors <#CGENERAL> https://a.test", "b1")

    assert block["elements"][0]["elements"] == [
        {"type": "user", "user_id": "UANA"},
        {"type": "text", "text": " a < b "},
        {"type": "broadcast", "range": "here"},
        {"type": "text", "text": " "},
        {"type": "usergroup", "usergroup_id": "SEDITORS"},
        {"type": "text", "text": " "},
        {"type": "channel", "channel_id": "CGENERAL"},
        {"type": "text", "text": " "},
        {"type": "link", "url": "https://a.test"},
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<@UANA> hi", True),
        ("<@UANA|ana> hi", True),
        ("@UANA hi", False),
        ("&lt;@UANA&gt;", False),
        ("<@UANAB>", False),
    ],
)
def test_only_a_token_is_a_mention(text, expected):
    assert mentions(text, UserId("UANA")) is expected
