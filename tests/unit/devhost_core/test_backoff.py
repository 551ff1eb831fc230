from datetime import timedelta

from devhost.backoff import PollingBackoff


def seconds(backoff: PollingBackoff, polls: int) -> list[float]:
    return [round(backoff.next_delay(found=False).total_seconds(), 3) for _ in range(polls)]


def test_backoff_of_an_empty_queue_doubles_its_step_up_to_the_maximum() -> None:
    backoff = PollingBackoff(timedelta(minutes=1), jitter=lambda: 1.0)
    assert seconds(backoff, 13) == [0.1, 0.2, 0.3, 0.5, 0.9, 1.7, 3.3, 6.5, 12.9, 25.7, 51.3, 60, 60]


def test_backoff_with_the_cap_of_development_stays_at_two_seconds() -> None:
    backoff = PollingBackoff(timedelta(seconds=2), jitter=lambda: 1.0)
    assert seconds(backoff, 8) == [0.1, 0.2, 0.3, 0.5, 0.9, 1.7, 2, 2]


def test_backoff_after_messages_starts_again() -> None:
    backoff = PollingBackoff(timedelta(seconds=2), jitter=lambda: 1.0)
    seconds(backoff, 8)
    assert backoff.next_delay(found=True) == timedelta(seconds=0.1)
    assert seconds(backoff, 3) == [0.2, 0.3, 0.5]


def test_backoff_at_its_shortest_maximum_never_grows() -> None:
    backoff = PollingBackoff(timedelta(seconds=0.1))
    assert seconds(backoff, 3) == [0.1, 0.1, 0.1]
    assert backoff.next_delay(found=True) == timedelta(seconds=0.1)


def test_backoff_jitter_touches_the_grown_part_only() -> None:
    backoff = PollingBackoff(timedelta(minutes=1))
    for step in (0, 0.1, 0.2, 0.4, 0.8):
        delay = backoff.next_delay(found=False).total_seconds()
        assert 0.1 + 0.8 * step <= delay <= 0.1 + 1.2 * step
