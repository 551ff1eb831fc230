"""One queue function that asks the test what to do with each message."""

import base64
import os

import aiohttp
import azure.functions as func

app = func.FunctionApp()


@app.queue_trigger(arg_name="msg", queue_name="%RECORDED_QUEUE%", connection="Recorded")
async def ask(msg: func.QueueMessage) -> None:
    body = msg.get_body()
    message = {
        "id": msg.id,
        "pop_receipt": msg.pop_receipt,
        "dequeue_count": msg.dequeue_count,
        "body": base64.b64encode(body).decode(),
    }
    timeout = aiohttp.ClientTimeout(total=None)
    async with (
        aiohttp.ClientSession(timeout=timeout) as session,
        session.post(os.environ["RECORDED_HANDLER"], json=message) as answer,
    ):
        answer.raise_for_status()
