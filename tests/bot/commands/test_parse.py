import pytest

from bot.commands.parse import BadInput, Help, ListFlows, OpenQuote, Start, Status, UnknownWord, is_command, parse


@pytest.mark.parametrize(
    ("text", "command"),
    [
        pytest.param("", Help(), id="nothing-asks-for-help"),
        pytest.param("  HELP ", Help(), id="case-does-not-matter"),
        pytest.param("list", ListFlows(), id="list"),
        pytest.param("status", Status(id=None), id="status-here"),
        pytest.param("status R-7", Status(id="R-7"), id="status-of-one"),
        pytest.param("start", Start(name="", inputs={}), id="start-without-a-name"),
        pytest.param("start topic=AI", Start(name="", inputs={"topic": "AI"}), id="inputs-for-the-channels-own-flow"),
        pytest.param("start content_review", Start(name="content_review", inputs={}), id="start-without-inputs"),
        pytest.param(
            'start content_review topic="Safe AI in schools" tone=dry',
            Start(name="content_review", inputs={"topic": "Safe AI in schools", "tone": "dry"}),
            id="quoted-values-keep-their-spaces",
        ),
        pytest.param(
            "start x topic=“IA segura”", Start(name="x", inputs={"topic": "IA segura"}), id="curly-quotes-of-a-phone"
        ),
        pytest.param("start x topic=Ana's", Start(name="x", inputs={"topic": "Ana's"}), id="an-apostrophe-is-a-letter"),
        pytest.param("start x a=b=c", Start(name="x", inputs={"a": "b=c"}), id="only-the-first-equals-sign-splits"),
        pytest.param("start x note=", Start(name="x", inputs={"note": ""}), id="an-empty-value"),
        pytest.param(r"start x path=C:\new", Start(name="x", inputs={"path": r"C:\new"}), id="a-backslash-stays"),
        pytest.param("start x a=#1", Start(name="x", inputs={"a": "#1"}), id="a-hash-is-no-comment"),
        pytest.param("start x oops", BadInput(word="oops"), id="a-word-without-equals"),
        pytest.param("start x =5", BadInput(word="=5"), id="a-value-without-a-name"),
        pytest.param('start x a="b', OpenQuote(text='x a="b'), id="an-open-quote"),
        pytest.param("statsu", UnknownWord(word="statsu", near="status"), id="the-nearest-word-is-offered"),
    ],
)
def test_text_becomes_a_command(text: str, command: object) -> None:
    assert parse(text) == command


@pytest.mark.parametrize("text", ["help", "list", "status", "status R-1", "status f2", "start content_review a=b"])
def test_a_whole_command_counts_where_words_may_be_meant_for_a_review(text: str) -> None:
    assert is_command(text)


@pytest.mark.parametrize(
    "text", ["help me understand this", "list the sources first", "status quo is fine", "start", "approved", ""]
)
def test_talk_that_begins_like_a_command_stays_talk(text: str) -> None:
    assert not is_command(text)
