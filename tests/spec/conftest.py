"""What the rules' tests share: a storage directory of their own."""

import pytest

from flows import SQLiteFlowPersistence


@pytest.fixture(autouse=True)
def storage(tmp_path, monkeypatch):
    """The directory of the default store."""
    monkeypatch.setenv("FLOWS_STORAGE_DIR", str(tmp_path / "storage"))
    return tmp_path / "storage"


@pytest.fixture
def store(tmp_path):
    """A store on disk."""
    store = SQLiteFlowPersistence(tmp_path / "flows.db")
    yield store
    store.close()
