"""What is done around the host in each recorded scenario. Options and faults stand with the recordings."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tests.support.bench import Bench
from tests.support.eventually import eventually
from tests.support.recorder import Delivered

type Step = Callable[[Bench], object]
type Judge = Callable[[Bench, int, Delivered], bool]


def one(bench: Bench) -> None:
    bench.encoded('{"n":1}')


def nothing(bench: Bench) -> None: ...


def puts(*texts: str) -> Step:
    def prepare(bench: Bench) -> None:
        for text in texts:
            bench.put(text)

    return prepare


def encoded(*texts: str) -> Step:
    def prepare(bench: Bench) -> None:
        for text in texts:
            bench.encoded(text)

    return prepare


def many(count: int) -> Step:
    return encoded(*map(str, range(count)))


def delivered_before(times: int) -> Step:
    """A message that others received so many times, and gave up on."""

    def prepare(bench: Bench) -> None:
        one(bench)
        for _ in range(times):
            eventually(lambda: bench.queue.receive_message(visibility_timeout=1))
        eventually(bench.queue.peek_messages)

    return prepare


def expired(bench: Bench) -> None:
    bench.put("eA==", ttl=1)
    eventually(lambda: not bench.queue.peek_messages())


def appears(bench: Bench) -> None:
    eventually(lambda: bench.called("metadata", 5))
    bench.queue.create_queue()
    one(bench)


def trickles(bench: Bench) -> None:
    for number in range(3):
        eventually(partial(bench.called, "get", 2 * number))
        bench.encoded(str(number))


def goes_and_comes(bench: Bench) -> None:
    eventually(bench.is_done)
    bench.queue.delete_queue()
    eventually(lambda: bench.called("metadata", 4))
    bench.queue.create_queue()
    one(bench)


def succeeds(bench: Bench, run: int, message: Delivered) -> bool:
    return True


def fails(bench: Bench, run: int, message: Delivered) -> bool:
    return False


def fails_once(bench: Bench, run: int, message: Delivered) -> bool:
    return run > 0


def takes(seconds: float) -> Judge:
    def judge(bench: Bench, run: int, message: Delivered) -> bool:
        time.sleep(seconds)  # the function's own work
        return True

    return judge


def steals_receipt(bench: Bench, run: int, message: Delivered, *, ok: bool) -> bool:
    """The first run makes the host's receipt void."""
    if run:
        return True
    bench.queue.update_message(message.id, message.pop_receipt, visibility_timeout=2)
    return ok


def deletes(bench: Bench, run: int, message: Delivered, *, ok: bool) -> bool:
    bench.queue.delete_message(message.id, message.pop_receipt)
    return ok


def is_robbed(bench: Bench, run: int, message: Delivered) -> bool:
    time.sleep(6)
    bench.queue.delete_message(message.id, message.pop_receipt)
    time.sleep(58)
    return True


def called(op: str, times: int = 1) -> Callable[[Bench], bool]:
    return lambda bench: bench.called(op, times)


def lasts(seconds: float) -> Callable[[Bench], bool]:
    """The host has been polling for so long."""
    return lambda bench: bench.recording.wire.polled_for() >= seconds


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """`prepare` comes before the host, `during` with it; it is asked to stop once `until` is so.

    `queue` is the queue's name, a `{}` in it a part that nobody else uses. `lease` is shorter than the recorded 600 s
    where the recording took eleven minutes; the times of its steps are shortened alike.
    """

    prepare: Step = one
    judge: Judge = succeeds
    until: Callable[[Bench], bool] = Bench.is_done
    during: Step | None = None
    exists: bool = True
    poison_exists: bool = False
    queue: str = "q-{}"
    lease: int = 600


SCENARIOS = {
    "success": Scenario(),
    "fail_once": Scenario(judge=fails_once),
    "fail_once_delay3": Scenario(judge=fails_once),
    "poison_new_queue": Scenario(judge=fails, until=Bench.is_poisoned),
    "poison_existing_queue": Scenario(judge=fails, until=Bench.is_poisoned, poison_exists=True),
    "poison_limit1": Scenario(judge=fails, until=Bench.is_poisoned),
    "undecodable": Scenario(prepare=puts('{"raw":true}'), until=Bench.is_poisoned),
    "undecodable_among_good": Scenario(prepare=puts("YTE=", "not base64!", "YTI="), until=Bench.is_poisoned),
    "short_word_base64": Scenario(prepare=puts("test"), judge=fails, until=Bench.is_poisoned),
    "noncanonical_base64": Scenario(prepare=puts("YR=="), judge=fails, until=Bench.is_poisoned),
    "over_limit_at_fetch": Scenario(prepare=delivered_before(6), until=Bench.is_poisoned),
    "last_try_at_fetch": Scenario(prepare=delivered_before(4), judge=fails, until=Bench.is_poisoned),
    "batch_4_2": Scenario(prepare=many(20), judge=takes(0.4)),
    "batch_1_0": Scenario(prepare=many(5), judge=takes(0.4)),
    "batch_default": Scenario(prepare=many(60), judge=takes(0.4)),
    "receipt_changed": Scenario(judge=partial(steals_receipt, ok=True)),
    "receipt_changed_fails": Scenario(judge=partial(steals_receipt, ok=False)),
    "deleted_meanwhile": Scenario(judge=partial(deletes, ok=True), until=called("delete")),
    "deleted_then_fails": Scenario(judge=partial(deletes, ok=False), until=called("update")),
    "poison_trigger_fails": Scenario(judge=fails, until=Bench.has_run, queue="q-{}-poison"),
    "missing_queue": Scenario(prepare=nothing, during=appears, exists=False),
    "idle_development": Scenario(prepare=nothing, until=lasts(16.5)),
    "idle_production": Scenario(prepare=nothing, until=lasts(41.5)),
    "idle_after_traffic": Scenario(prepare=nothing, during=trickles, until=lasts(9.5)),
    "metadata_nested": Scenario(prepare=encoded('{"data":{"id":"mine","dequeueCount":99}}')),
    "metadata_array": Scenario(prepare=encoded('[{"id":"mine"}]')),
    "encoding_none": Scenario(prepare=puts("<a> & emoji \U0001f600"), judge=fails, until=Bench.is_poisoned),
    "empty_body": Scenario(prepare=puts("")),
    "large_body": Scenario(prepare=encoded("x" * 49152)),
    "get_500": Scenario(),
    "get_503": Scenario(),
    "get_403": Scenario(until=Bench.has_ended),
    "get_404": Scenario(),
    "get_dropped_twice": Scenario(),
    "get_dropped": Scenario(until=Bench.has_ended),
    "delete_dropped": Scenario(until=Bench.has_ended),
    "exists_dropped": Scenario(until=Bench.has_ended),
    "delete_500": Scenario(),
    "delete_500_forever": Scenario(until=called("delete", 5)),
    "delete_lost_answer": Scenario(until=called("delete", 2)),
    "update_403": Scenario(judge=fails, until=Bench.has_ended),
    "poison_put_500": Scenario(judge=fails, until=Bench.is_poisoned, poison_exists=True),
    "poison_delete_500": Scenario(judge=fails, until=called("delete", 5), poison_exists=True),
    "sigterm_while_running": Scenario(judge=takes(6), until=Bench.has_begun),
    "sigterm_batch_waiting": Scenario(prepare=many(8), judge=takes(3), until=partial(Bench.has_begun, times=8)),
    "release_500": Scenario(judge=fails_once),
    "poison_put_403": Scenario(judge=fails, until=Bench.has_ended, poison_exists=True),
    "poison_create_403": Scenario(judge=fails, until=Bench.has_ended),
    "queue_deleted_while_running": Scenario(
        during=goes_and_comes, until=lambda bench: bench.has_run(2) and bench.is_done()
    ),
    "name_upper": Scenario(prepare=nothing, until=lasts(6.5), exists=False, queue="Q-{}"),
    "max_message_64k": Scenario(prepare=puts("x" * 65536), judge=fails, until=Bench.is_poisoned),
    "expired_before_fetch": Scenario(prepare=expired, until=lasts(3)),
    "expires_while_running": Scenario(
        prepare=partial(Bench.put, text="eA==", ttl=3), judge=takes(5), until=called("delete")
    ),
    "failing_stream_16": Scenario(prepare=many(48), judge=fails, until=Bench.is_poisoned),
    "renewal_slow": Scenario(judge=takes(64), lease=60),
    "renewal_500": Scenario(judge=takes(64), lease=60),
    "renewal_404": Scenario(judge=is_robbed, until=called("delete"), lease=60),
}
