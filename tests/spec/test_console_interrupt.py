"""HF-16 and A-7 at a real terminal: Ctrl-C ends the program at once, and says so in a few lines."""

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios

import pytest

PROGRAM = """
from flows import Flow, human_feedback, start

class Some(Flow):
    @start()
    @human_feedback(message="OK?")
    def review(self):
        return "text"

class Asks(Flow):
    @start()
    def begin(self):
        return self.ask("Your name?")

{flow}().kickoff()
"""


def _interruptible():
    # A suite that runs in the background of a shell inherits a SIGINT that is ignored, and so would the program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _at_a_terminal():
    _interruptible()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def run_until(prompt, *, code):
    """What the program wrote to its terminal, and its exit code, after Ctrl-C at the prompt."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=_at_a_terminal,
    )  # fmt: skip
    os.close(theirs)
    said = b""
    while chunk := _read(ours):
        said += chunk
        if prompt in said:
            os.write(ours, b"\x03")
            prompt = b"\xff"
    os.close(ours)
    return said.decode(), process.wait(timeout=20)


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:
        # Linux ends a terminal whose last program has gone with an error.
        return b""


@pytest.mark.parametrize(("flow", "prompt"), [("Some", b"Your feedback: "), ("Asks", b">>> ")])
def test_hf16_ctrl_c_at_the_console_ends_the_program_in_a_few_lines(flow, prompt):
    said, code = run_until(prompt, code=PROGRAM.format(flow=flow))

    assert code != 0
    assert said.strip().endswith("KeyboardInterrupt")
    assert "During handling" not in said
    assert "CancelledError" not in said
    assert said.count("\n  File ") <= 4


@pytest.mark.parametrize(("flow", "prompt"), [("Some", b"Your feedback: "), ("Asks", b">>> ")])
def test_hf16_ctrl_c_while_a_pipe_is_read_ends_the_program_without_an_abort(flow, prompt):
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", PROGRAM.format(flow=flow)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_interruptible,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    said = b""
    while prompt not in said:
        said += process.stdout.read(1) or pytest.fail("The program ended before its question.")
    process.send_signal(signal.SIGINT)
    process.wait(timeout=20)  # with the pipe still open: nobody typed anything
    _, errors = process.communicate()

    assert process.returncode == -signal.SIGINT
    assert errors.decode().strip().endswith("KeyboardInterrupt")
