"""Is the emulator new enough to be tested against?"""

import time

import pytest
from azure.core.exceptions import HttpResponseError
from azure.storage.queue import QueueClient


def check_emulator(connection_string: str) -> None:
    """End the test run unless visibility timeouts work.

    A message received for 1 s comes again, and its first receipt is void then. An emulator that gets this wrong makes
    puzzling failures far from the cause.
    """
    with QueueClient.from_connection_string(connection_string, "emulator-check") as queue:
        queue.create_queue()
        queue.send_message("x")
        first = queue.receive_message(visibility_timeout=1)
        second = None
        deadline = time.monotonic() + 10
        while second is None and time.monotonic() < deadline:
            second = queue.receive_message(visibility_timeout=30)
        if first is None or second is None or second.dequeue_count != 2:
            pytest.exit("emulator too old: a message does not come again after its visibility timeout; run `npm ci`", 1)
        try:
            queue.delete_message(first)
        except HttpResponseError:
            queue.delete_queue()
        else:
            pytest.exit("emulator too old: an outdated pop receipt deletes its message; run `npm ci`", 1)
