"""What tests of flows need: a clock that jumps, a scripted model, scripted providers, a contract for stores."""

from flows.testing.clock import ManualClock
from flows.testing.model import ScriptedLLM, UnscriptedCallError
from flows.testing.providers import PausingProvider, RecordingProvider

__all__ = ["ManualClock", "PausingProvider", "RecordingProvider", "ScriptedLLM", "UnscriptedCallError"]
