"""The store in memory keeps the contract."""

from flows import MemoryFlowPersistence
from flows.testing.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    def make_store(self, tmp_path):
        return MemoryFlowPersistence()
