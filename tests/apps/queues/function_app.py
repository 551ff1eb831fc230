"""Functions for tests of the queue trigger. Each tells what it saw in a line `SAW {json}`."""

import asyncio
import json
import os
import sys
import threading
import time
from datetime import datetime
from typing import Any, List  # noqa: UP035 - the worker library does not take list[str]

import azure.functions as func

app = func.FunctionApp()
IN, OUT = "%IN_QUEUE%", "%OUT_QUEUE%"


def tell(**seen: Any) -> None:
    print("SAW " + json.dumps(seen), flush=True)


def stamp(instant: datetime | None) -> str | None:
    return instant.isoformat() if instant else None


def described(msg: func.QueueMessage) -> dict[str, Any]:
    return {
        "id": msg.id,
        "pop_receipt": msg.pop_receipt,
        "dequeue_count": msg.dequeue_count,
        "body": msg.get_body().decode("latin-1"),
        "inserted": stamp(msg.insertion_time),
        "expires": stamp(msg.expiration_time),
        "next_visible": stamp(msg.time_next_visible),
    }


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work")
async def text(msg: func.QueueMessage) -> None:
    tell(**described(msg))


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work", data_type=func.DataType.BINARY)
async def binary(msg: func.QueueMessage) -> None:
    tell(**described(msg))


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work")
def threaded(msg: func.QueueMessage, context: func.Context) -> None:
    time.sleep(float(os.environ.get("SECONDS", "0")))
    tell(
        thread=threading.current_thread().name,
        invocation=context.invocation_id,
        function=context.function_name,
        directory=context.function_directory,
        trace_parent=context.trace_context.trace_parent,
    )


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work")
async def returns_value(msg: func.QueueMessage) -> str:
    tell(dequeue_count=msg.dequeue_count)
    return "a value that goes nowhere"


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work")
@app.queue_output(arg_name="$return", queue_name=OUT, connection="Work")
async def returns_message(msg: func.QueueMessage) -> str:
    return msg.get_body().decode()


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work")
@app.queue_output(arg_name="out", queue_name=OUT, connection="Work")
def sets_outputs(msg: func.QueueMessage, out: func.Out[List[str]]) -> None:  # noqa: UP006
    out.set(msg.get_body().decode().split(","))


@app.queue_trigger(arg_name="msg", queue_name=OUT, connection="Work")
async def second(msg: func.QueueMessage) -> None:
    tell(second=msg.get_body().decode(), at=time.time())


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work")
async def slow(msg: func.QueueMessage) -> None:
    """Fails where the body says so, after the time that it says."""
    tell(begun=msg.get_body().decode(), dequeue_count=msg.dequeue_count)
    how, _, seconds = msg.get_body().decode().partition(" ")
    await asyncio.sleep(float(seconds or 0))
    if how == "fail":
        raise RuntimeError("told to fail")
    tell(ended=msg.get_body().decode())


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work")
async def blocking(msg: func.QueueMessage) -> None:
    tell(begun=True, dequeue_count=msg.dequeue_count)
    time.sleep(float(os.environ["SECONDS"]))
    tell(ended=True)


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work")
async def leaves(msg: func.QueueMessage) -> None:
    tell(pid=os.getpid(), dequeue_count=msg.dequeue_count)
    if msg.dequeue_count == 1:
        sys.exit("the function tears its worker down")


@app.route("echo", auth_level=func.AuthLevel.ANONYMOUS)
async def echo(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    await asyncio.sleep(float(req.params.get("seconds", "0")))
    return func.HttpResponse(context.trace_context.trace_parent)


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="NotThere")
async def unconnected(msg: func.QueueMessage) -> None: ...


@app.queue_trigger(arg_name="msg", queue_name="%NO_SUCH_SETTING%", connection="Work")
async def unnamed(msg: func.QueueMessage) -> None: ...


@app.queue_trigger(arg_name="msg", queue_name="No_Queue_Name", connection="Work")
async def misnamed(msg: func.QueueMessage) -> None: ...


@app.queue_trigger(arg_name="msg", queue_name=IN, connection="Work")
@app.blob_output(arg_name="out", path="a/b", connection="Work")
async def has_blob(msg: func.QueueMessage, out: func.Out[str]) -> None: ...


@app.timer_trigger(arg_name="timer", schedule="not a schedule")
async def mistimed(timer: func.TimerRequest) -> None: ...
