from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bot import catalog
from bot.errors import CatalogError

FLOW = '''
from pydantic import BaseModel
from flows import Flow, start

class {state}(BaseModel):
    topic: str = ""
    tone: str = "dry"

class {name}(Flow[{state}]):
    """Says something.

    More words.
    """
    @start()
    def go(self):
        return "ok"
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    before, path = set(sys.modules), list(sys.path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if name.startswith(("my_", "placet_app", "flows_of_mine")):
            del sys.modules[name]


def write(folder: Path, path: str, name: str = "NoteTakingFlow") -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(FLOW.format(name=name, state="State"))


@pytest.mark.parametrize(
    ("files", "flows_app"),
    [
        (["my_module.py"], "my_module"),
        (["my_pkg/__init__.py"], "my_pkg"),
        (["my_deep/__init__.py", "my_deep/inner/__init__.py"], "my_deep.inner"),
        (["my_file.py"], "./my_file.py"),
        (["my_folder/one.py"], "./my_folder"),
        (["flows/one.py"], "./flows"),
    ],
    ids=["module", "package", "sub-package", "file", "folder", "a-folder-called-flows"],
)
def test_flows_are_found_in(folder: Path, files: list[str], flows_app: str) -> None:
    for file in files[:-1]:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("")
    write(folder, files[-1])

    [entry] = catalog.load(flows_app, folder=folder)

    assert (entry.name, entry.description, entry.inputs) == ("note_taking", "Says something.", ("topic", "tone"))


def test_a_package_is_searched_to_its_leaves(folder: Path) -> None:
    write(folder, "my_tree/__init__.py", "FirstFlow")
    write(folder, "my_tree/leaf.py", "SecondFlow")

    assert [entry.name for entry in catalog.load("my_tree", folder=folder)] == ["first", "second"]


def test_the_shipped_examples_are_the_default() -> None:
    offered = [entry.name for entry in catalog.load("flows.examples", folder=Path.cwd())]

    assert offered == ["content_review", "refund_approval"]


def test_a_folder_of_ours_by_name_is_named_as_a_clash(folder: Path) -> None:
    write(folder, "flows/mine.py")

    with pytest.raises(CatalogError, match=r"belongs to Placet.*FLOWS_APP=\./flows/mine"):
        catalog.load("flows.mine", folder=folder)


@pytest.mark.parametrize(
    ("flows_app", "text", "fault"),
    [
        ("my_missing", None, "no module 'my_missing'"),
        ("./my_missing", None, "does not exist"),
        ("my module", None, "neither a module name nor a path"),
        ("my_empty", "x = 1", "holds no flow"),
        ("my_broken", "1 / 0", "ZeroDivisionError.*line 1"),
        ("my_syntax", "def", "SyntaxError"),
        ("my_needs", "import my_other_thing", "my_needs cannot be loaded: ModuleNotFoundError.*my_other_thing"),
        ("./my_broken.py", "1 / 0", "ZeroDivisionError.*line 1"),
    ],
    ids=["no-module", "no-path", "no-name", "no-flow", "raises", "no-python", "missing-import", "file-raises"],
)
def test_what_cannot_be_loaded_is_named_with_its_fault(
    folder: Path, flows_app: str, text: str | None, fault: str
) -> None:
    if text is not None:
        (folder / f"{flows_app.removeprefix('./').removesuffix('.py')}.py").write_text(text)

    with pytest.raises(CatalogError, match=fault):
        catalog.load(flows_app, folder=folder)


def test_two_flows_of_one_name_are_refused(folder: Path) -> None:
    write(folder, "my_twins/one.py", "SameFlow")
    write(folder, "my_twins/two.py", "SameFlow")

    with pytest.raises(CatalogError, match="two flows are called 'same'"):
        catalog.load("./my_twins", folder=folder)


def test_case_and_hyphens_do_not_matter_when_a_flow_is_named(folder: Path) -> None:
    write(folder, "my_named.py")
    flows = catalog.load("my_named", folder=folder)

    assert flows.get("Note-Taking") is flows.get("note_taking")
    assert flows.get("other") is None
    assert flows.nearest("notetaking") == "note_taking"


def test_inputs_that_a_flow_does_not_take_are_named(folder: Path) -> None:
    write(folder, "my_inputs.py")
    [entry] = catalog.load("my_inputs", folder=folder)

    assert catalog.unknown_inputs(entry, {"topic": "x", "tpoic": "y", "id": "z"}) == ["tpoic", "id"]


def test_a_flow_says_itself_what_may_be_set_from_outside() -> None:
    entry = catalog.load("flows.examples", folder=Path.cwd()).get("content_review")

    assert entry is not None
    assert entry.inputs == ("topic",)
    assert catalog.unknown_inputs(entry, {"topic": "x", "status": "published"}) == ["status"]
