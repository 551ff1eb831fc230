"""What the worker gets, checked by Microsoft's own converter."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from azure.functions.meta import Datum
from azure.functions.timer import TimerRequest, TimerRequestConverter

from devhost.invocation import Call
from devhost.timers.call import timer_call
from devhost.timers.cron import CronPattern
from devhost.timers.schedule import CronSchedule
from devhost.timers.status import TimerStatus
from tests.unit.devhost_timers.timers import timer_function

BERLIN = ZoneInfo("Europe/Berlin")
FIRED_AT = datetime(2026, 11, 30, 12, 55, 0, 4000, UTC)
SCHEDULE = CronSchedule(CronPattern.parse("0 */5 * * * *"), BERLIN)


def decode(call: Call) -> TimerRequest:
    """What the function's parameter is."""
    request = TimerRequestConverter.decode(Datum(call.trigger.value, call.trigger.type), trigger_metadata=call.metadata)
    assert isinstance(request, TimerRequest)
    return request


def test_call_of_a_monitored_timer_carries_its_status() -> None:
    status = TimerStatus(next=datetime(2026, 11, 30, 12, 55, tzinfo=UTC))
    call = timer_call(timer_function("tick"), SCHEDULE, status, fired_at=FIRED_AT, zone=BERLIN, is_past_due=True)
    assert call.trigger.type == "json"
    assert call.trigger.value == (
        '{"Schedule":{"AdjustForDST":true},'
        '"ScheduleStatus":{"Last":"0001-01-01T00:00:00+00:00","Next":"2026-11-30T13:55:00+01:00",'
        '"LastUpdated":"0001-01-01T00:00:00+00:00"},"IsPastDue":true}'
    )
    request = decode(call)
    assert request.past_due
    assert request.schedule_status["Next"] == "2026-11-30T13:55:00+01:00"
    assert request.schedule == {"AdjustForDST": True}


def test_call_of_an_unmonitored_timer_has_no_status() -> None:
    call = timer_call(timer_function("tick"), SCHEDULE, None, fired_at=FIRED_AT, zone=BERLIN)
    assert '"ScheduleStatus":null' in call.trigger.value
    assert decode(call).schedule_status == {}


def test_call_says_when_it_fired_on_local_clocks() -> None:
    call = timer_call(timer_function("tick"), SCHEDULE, None, fired_at=FIRED_AT, zone=BERLIN)
    assert call.reason == "Timer fired at 2026-11-30T13:55:00.0040000+01:00"
    assert call.metadata["TimerTrigger"].type == "string"
    assert call.metadata["TimerTrigger"].value == "11/30/2026 13:55:00"
