"""One firing of a timer, as the worker gets it."""

import json
from datetime import datetime, tzinfo

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.dotnet.iso_time import round_trip_time
from devhost.functions import Function
from devhost.invocation import Call
from devhost.timers.schedule import Schedule
from devhost.timers.status import TimerStatus


def timer_call(
    function: Function,
    schedule: Schedule,
    status: TimerStatus | None,
    *,
    fired_at: datetime,
    zone: tzinfo,
    is_past_due: bool = False,
    details: str = "",
) -> Call:
    """The call to make. `status` is what was known before this firing; None for a timer that is not monitored.

    Source: WebJobs.Extensions, TimerInfo.cs and TimerTriggerBinding.cs.
    """
    info = {
        "Schedule": {"AdjustForDST": schedule.adjusts_for_dst},
        "ScheduleStatus": status.to_dict(zone) if status else None,
        "IsPastDue": is_past_due,
    }
    shown = fired_at.astimezone(zone)
    return Call(
        function=function,
        # The worker's timer converter takes nothing but JSON.
        trigger=Datum(json.dumps(info, separators=(",", ":")), "json"),
        metadata={"TimerTrigger": Datum(f"{shown:%m/%d/%Y %H:%M:%S}", "string")},
        reason=f"Timer fired at {round_trip_time(fired_at, zone)}",
        details=details,
    )
