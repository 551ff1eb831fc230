"""Every trigger of the product: decode, call one use case, translate. The host lists functions by these names."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import azure.functions as func

from shared.app import App
from shared.domain import identity
from shared.domain.delivery import Delivery
from shared.domain.errors import BodyTooLarge, CallerError, NotFound, NotKnownAccepted
from shared.domain.lane import Lane
from shared.domain.names import POISON_SUFFIX
from shared.domain.principal import Principal
from shared.domain.record import Record
from shared.domain.task import parse_task
from shared.version import VERSION
from shared.web import answers, prefer, request, routes
from shared.web.accept import HTML, IMAGES, JSON, choose
from shared.web.problem import answered, answered_as, problem
from shared.web.who import read_operator, read_principal

if TYPE_CHECKING:
    from shared.web.pages.my_task import Press

fixit = App()
MAY_START = fixit.may_start()
# Where the platform signs people in it asks for no key, and each handler asks who it is.
SIGNED_IN = MAY_START and fixit.access.by == "easyauth"
app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS if SIGNED_IN else func.AuthLevel.FUNCTION)
ADMIN = func.AuthLevel.ANONYMOUS if SIGNED_IN else func.AuthLevel.ADMIN


@app.function_name("submit")
@app.route(route=routes.SUBMIT.template, methods=routes.SUBMIT.methods)
@answered
async def submit(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """POST /api/fixits"""
    who = read_principal(req, fixit.access)
    wait = prefer.read_wait(req)
    or_reverse = prefer.read_on_timeout(req, wait)
    given = request.read_idempotency_key(req)
    key = given or identity.new_key()
    photo = None
    if request.is_multipart(req):
        from shared.web.multipart import read_task  # few submits bring a photo

        task, photo = await asyncio.to_thread(read_task, req)
    else:
        task = parse_task(request.read_object(req))
    traceparent = request.read_traceparent(req, context)
    receipt, token, status = await fixit.submissions.submit(
        task,
        who=who,
        key=key,
        is_new_key=given is None,
        traceparent=traceparent,
        wait_seconds=wait,
        or_reverse=or_reverse,
        photo=photo,
    )
    again = fixit.backlog.known_seconds(receipt.task_id, task.priority)
    return answers.accepted(receipt, token, key, again=again, status=status, waited=wait)


@app.function_name("get_receipt")
@app.route(route=routes.RECEIPT.template, methods=routes.RECEIPT.methods, auth_level=func.AuthLevel.ANONYMOUS)
@answered_as(JSON, HTML)
async def get_receipt(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/receipts/{receipt}"""
    wait, known = prefer.read_wait(req), request.read_if_none_match(req)
    status = await fixit.submissions.status(
        req.route_params["receipt"],
        wait_seconds=wait,
        is_known=(lambda status: known(answers.status_tag(status))) if known else None,
    )
    again = None if status.is_settled else await fixit.backlog.seconds(status.id)
    if choose(req.headers.get("Accept"), (JSON, HTML)) == HTML:
        from shared.web.pages.receipt import receipt_page

        return receipt_page(status, again=again, signed_in=SIGNED_IN)
    return answers.status(status, again=again, waited=wait, known=known)


@app.function_name("get_task")
@app.route(route=routes.TASK.template, methods=routes.TASK.methods)
@answered
async def get_task(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/fixits/{id}"""
    who = read_principal(req, fixit.access)
    return await _task(req, request.read_task_id(req), who)


@app.function_name("edit_task")
@app.route(route=routes.EDIT.template, methods=routes.EDIT.methods)
@answered
async def edit_task(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """PATCH /api/fixits/{id}"""
    who = read_principal(req, fixit.access)
    from shared.domain.patch import parse_patch  # neither a submit nor a delivery needs it

    task_id, matches = request.read_task_id(req), request.read_if_match(req)
    patch = parse_patch(request.read_object(req, taken=(request.MERGE_PATCH, JSON)))
    traceparent = request.read_traceparent(req, context)
    record = await fixit.edit(task_id, patch, matches=matches, who=who, traceparent=traceparent)
    return answers.task(record, overdue=fixit.is_overdue(record))


@app.function_name("cancel")
@app.route(route=routes.CANCEL.template, methods=routes.CANCEL.methods)
@answered
async def cancel(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """DELETE /api/fixits/{id}"""
    who = read_principal(req, fixit.access)
    task_id = request.read_task_id(req)
    record = await fixit.submissions.cancel(task_id, who=who, traceparent=request.read_traceparent(req, context))
    if record is None:
        return answers.cancelling(task_id, again=fixit.backlog.known_seconds(task_id))
    return answers.task(record, overdue=fixit.is_overdue(record))


@app.function_name("get_task_by_key")
@app.route(route=routes.TASK_BY_KEY.template, methods=routes.TASK_BY_KEY.methods)
@answered
async def get_task_by_key(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/fixits/by-key?key="""
    who = read_principal(req, fixit.access)
    return await _task(req, identity.task_id(who.caller, request.read_key_parameter(req)), who)


async def _task(req: func.HttpRequest, task_id: str, who: Principal) -> func.HttpResponse:
    wait, known = prefer.read_wait(req), request.read_if_none_match(req)
    record = await fixit.task(
        task_id,
        who=who,
        wait_seconds=wait,
        is_known=(lambda record: known(answers.task_tag(record))) if known else None,
    )
    again = None if record.is_settled else await fixit.backlog.seconds(record.id, record.task.priority)
    return answers.task(record, overdue=fixit.is_overdue(record), again=again, waited=wait, known=known)


@app.function_name("list_tasks")
@app.route(route=routes.LIST.template, methods=routes.LIST.methods)
@answered
async def list_tasks(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/fixits"""
    who = read_principal(req, fixit.access)
    from shared.web import task_answers, task_requests  # neither a submit nor a delivery needs it

    look = task_requests.read_look(req)
    found, cursor = await fixit.find_tasks(look.wanted, who=who, limit=look.limit, cursor=look.cursor)
    return task_answers.tasks(found, cursor, is_overdue=fixit.is_overdue)


@app.function_name("submit_batch")
@app.route(route=routes.BATCH.template, methods=routes.BATCH.methods)
@answered
async def submit_batch(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """POST /api/fixits/batch"""
    who = read_principal(req, fixit.access)
    from shared.web import task_answers, task_requests

    items = await asyncio.to_thread(task_requests.read_batch, req)  # a second of work for 4 MiB of nonsense
    traceparent = request.read_traceparent(req, context)
    return task_answers.batch(await fixit.submit_batch(items, who=who, traceparent=traceparent))


@app.function_name("retry_task")
@app.route(route=routes.RETRY.template, methods=routes.RETRY.methods)
@answered
async def retry_task(req: func.HttpRequest) -> func.HttpResponse:
    """POST /api/fixits/{id}/retry"""
    who = read_principal(req, fixit.access)
    record = await fixit.retry(request.read_task_id(req), who=who)
    return answers.reopened(record, again=fixit.backlog.known_seconds(record.id, record.task.priority))


@app.function_name("offer_photo")
@app.route(route=routes.OFFER_PHOTO.template, methods=routes.OFFER_PHOTO.methods)
@answered
async def offer_photo(req: func.HttpRequest) -> func.HttpResponse:
    """POST /api/photos"""
    who = read_principal(req, fixit.access)
    from shared.web import photo_answers  # neither a submit nor a delivery needs it

    name, media_type = photo_answers.read_wish(req)
    return photo_answers.offered(await fixit.offer_photo(name, media_type, who=who))


@app.function_name("get_photo")
@app.route(route=routes.PHOTO.template, methods=routes.PHOTO.methods)
@answered_as(JSON, *IMAGES)
async def get_photo(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/fixits/{id}/photo"""
    return await _photo(req, "photo")


@app.function_name("get_thumbnail")
@app.route(route=routes.THUMBNAIL.template, methods=routes.THUMBNAIL.methods)
@answered_as(JSON, *IMAGES)
async def get_thumbnail(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/fixits/{id}/thumbnail"""
    return await _photo(req, "thumbnail")


async def _photo(req: func.HttpRequest, form: Literal["photo", "thumbnail"]) -> func.HttpResponse:
    who = read_principal(req, fixit.access)
    from shared.web import photo_answers

    return photo_answers.found_at(await fixit.photo_link(request.read_task_id(req), form, who=who))


@app.function_name("list_notices")
@app.route(route=routes.NOTICES.template, methods=routes.NOTICES.methods)
@answered
async def list_notices(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/fixits/{id}/notices"""
    who = read_principal(req, fixit.access)
    from shared.web import notice_answers

    task_id = request.read_task_id(req)
    return notice_answers.notices(task_id, await fixit.notices(task_id, who=who))


@app.function_name("resend_callbacks")
@app.route(route=routes.RESEND.template, methods=routes.RESEND.methods)
@answered
async def resend_callbacks(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """POST /api/fixits/{id}/callbacks/resend"""
    who = read_principal(req, fixit.access)
    from shared.web import notice_answers

    task_id = request.read_task_id(req)
    traceparent = request.read_traceparent(req, context)
    return notice_answers.resent(task_id, await fixit.resend(task_id, who=who, traceparent=traceparent))


@app.function_name("resend_callbacks_of_range")
@app.route(route=routes.RESEND_RANGE.template, methods=routes.RESEND_RANGE.methods, auth_level=ADMIN)
@answered
async def resend_callbacks_of_range(req: func.HttpRequest) -> func.HttpResponse:
    """POST /api/callbacks/resend"""
    read_operator(req, fixit.access)
    from shared.web import notice_answers

    body = request.read_object(req, too_large=BodyTooLarge)
    wanted, cursor = notice_answers.read_range(body, now=datetime.now(UTC))
    return notice_answers.resent_range(wanted, *await fixit.resend_range(wanted, cursor=cursor))


@app.function_name("list_letters")
@app.route(route=routes.LETTERS.template, methods=routes.LETTERS.methods, auth_level=ADMIN)
@answered
async def list_letters(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/deadletters"""
    read_operator(req, fixit.access)
    from shared.web import letter_answers, letter_requests  # operators alone need it

    look = letter_requests.read_look(req)
    if look.by_cause:
        return letter_answers.causes(*await fixit.operations.causes(look.wanted, limit=look.limit, cursor=look.cursor))
    return letter_answers.letters(*await fixit.operations.find(look.wanted, limit=look.limit, cursor=look.cursor))


@app.function_name("get_letter")
@app.route(route=routes.LETTER.template, methods=routes.LETTER.methods, auth_level=ADMIN)
@answered
async def get_letter(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/deadletters/{id}"""
    read_operator(req, fixit.access)
    from shared.web import letter_answers

    return letter_answers.letter(await fixit.operations.details(req.route_params["id"]))


@app.function_name("redrive_letters")
@app.route(route=routes.REDRIVE.template, methods=routes.REDRIVE.methods, auth_level=ADMIN)
@answered
async def redrive_letters(req: func.HttpRequest) -> func.HttpResponse:
    """POST /api/deadletters/redrive"""
    return await _carried_out(req, "redrive")


@app.function_name("discard_letters")
@app.route(route=routes.DISCARD.template, methods=routes.DISCARD.methods, auth_level=ADMIN)
@answered
async def discard_letters(req: func.HttpRequest) -> func.HttpResponse:
    """POST /api/deadletters/discard"""
    return await _carried_out(req, "discard")


async def _carried_out(req: func.HttpRequest, action: Literal["redrive", "discard"]) -> func.HttpResponse:
    who = read_operator(req, fixit.access)
    from shared.web import letter_answers, letter_requests

    body = request.read_object(req, too_large=BodyTooLarge)
    order, cursor = letter_requests.read_order(body, action, who)
    return letter_answers.carried_out(order, await fixit.operations.carry_out(order, cursor=cursor))


@app.function_name("get_person")
@app.route(route=routes.PERSON.template, methods=routes.PERSON.methods, auth_level=ADMIN)
@answered
async def get_person(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/people/{person}"""
    read_operator(req, fixit.access)
    from shared.web import people  # operators alone need it

    return people.entry(await fixit.people.get(people.read_name(req)))


@app.function_name("put_person")
@app.route(route=routes.PUT_PERSON.template, methods=routes.PUT_PERSON.methods, auth_level=ADMIN)
@answered
async def put_person(req: func.HttpRequest) -> func.HttpResponse:
    """PUT /api/people/{person}"""
    read_operator(req, fixit.access)
    from shared.web import people

    person = people.read_entry(req, phone_region=fixit.settings.phone_region)
    await fixit.people.put(person)
    return people.entry(person)


@app.function_name("delete_person")
@app.route(route=routes.DELETE_PERSON.template, methods=routes.DELETE_PERSON.methods, auth_level=ADMIN)
@answered
async def delete_person(req: func.HttpRequest) -> func.HttpResponse:
    """DELETE /api/people/{person}"""
    read_operator(req, fixit.access)
    from shared.web import people

    await fixit.people.remove(people.read_name(req))
    return func.HttpResponse(status_code=204)


@app.function_name("health")
@app.route(route=routes.HEALTH.template, methods=routes.HEALTH.methods, auth_level=func.AuthLevel.ANONYMOUS)
@answered
async def health(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/health"""
    return answers.healthy(VERSION)


@app.function_name("health_details")
@app.route(route=routes.HEALTH_DETAILS.template, methods=routes.HEALTH_DETAILS.methods)
@answered
async def health_details(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/health/details"""
    read_operator(req, fixit.access)
    from shared.web import operator_answers  # operators alone need it

    return operator_answers.health_details(VERSION, await fixit.examine())


@app.function_name("get_stats")
@app.route(route=routes.STATS.template, methods=routes.STATS.methods)
@answered
async def get_stats(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/stats"""
    read_operator(req, fixit.access)
    from shared.web import operator_answers

    return operator_answers.stats(await fixit.stats())


@app.function_name("openapi")
@app.route(route=routes.OPENAPI.template, methods=routes.OPENAPI.methods, auth_level=func.AuthLevel.ANONYMOUS)
@answered
async def openapi(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/openapi.json"""
    from shared.web.openapi.document import document

    return answers.as_json(200, document(VERSION, fixit.access.by))


@app.function_name("docs")
@app.route(route=routes.DOCS.template, methods=routes.DOCS.methods, auth_level=func.AuthLevel.ANONYMOUS)
@answered_as(HTML)
async def docs(req: func.HttpRequest) -> func.HttpResponse:
    """GET /api/docs"""
    from shared.web.openapi.document import document
    from shared.web.pages.docs import docs as page_of

    return page_of(document(VERSION, fixit.access.by))


@app.function_name("sweep")
@app.timer_trigger(arg_name="timer", schedule="0 */5 * * * *", run_on_startup=False, use_monitor=True)
async def sweep(timer: func.TimerRequest) -> None:
    """Every five minutes: what nothing moves any more is brought to its end."""
    await fixit.sweep()


@app.function_name("report")
@app.timer_trigger(arg_name="timer", schedule="0 * * * * *", run_on_startup=False, use_monitor=False)
async def report(timer: func.TimerRequest) -> None:
    """Every minute: what waits is told in the log. A minute that no host saw is not made up for."""
    (await fixit.stats()).write()


if SIGNED_IN:  # only then there is a person to show a page of theirs to

    @app.function_name("my_tasks")
    @app.route(route=routes.MY_TASKS.template, methods=routes.MY_TASKS.methods)
    @answered_as(HTML)
    async def my_tasks(req: func.HttpRequest) -> func.HttpResponse:
        """GET /api/me"""
        who = read_principal(req, fixit.access)
        from shared.web.pages import my_tasks as pages

        look = pages.read_look(req, who)
        found, cursor = await fixit.find_tasks(look.of(who), who=who, limit=pages.LIMIT, cursor=look.cursor)
        return pages.my_tasks(who, look, found, cursor)

    @app.function_name("new_task")
    @app.route(route=routes.NEW_TASK.template, methods=routes.NEW_TASK.methods)
    @answered_as(HTML)
    async def new_task(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        """GET and POST /api/me/new"""
        who = read_principal(req, fixit.access)
        from shared.web.pages import task_form as pages

        if req.method != "POST":
            return pages.new_form(who, token=fixit.forms.token(who))
        filled = await asyncio.to_thread(pages.read_filled, req)
        try:
            fixit.forms.check(filled.token, who)
            _, receipt, _ = await fixit.submissions.submit(
                filled.parsed(),
                who=who,
                key=filled.key,
                is_new_key=False,
                traceparent=request.read_traceparent(req, context),
                photo=filled.photo,
            )
        except (CallerError, NotKnownAccepted) as error:
            return pages.form_again(who, filled, error, token=fixit.forms.token(who))
        return answers.see_other(routes.receipt_path(receipt))

    @app.function_name("my_task")
    @app.route(route=routes.MY_TASK.template, methods=routes.MY_TASK.methods)
    @answered_as(HTML)
    async def my_task(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        """GET and POST /api/me/tasks/{id}"""
        who, task_id = read_principal(req, fixit.access), request.read_task_id(req)
        from shared.web.pages import my_task as pages

        said, wrong = req.params.get("said", ""), None
        if req.method == "POST":
            press = pages.read_press(req)
            try:
                fixit.forms.check(press.token, who)
                record = await _obeyed(press, task_id, who, request.read_traceparent(req, context))
            except CallerError as error:
                wrong = error
            else:
                return answers.see_other(press.done_at(task_id)) if record else pages.will_be_cancelled(who, task_id)
        record = await fixit.task(task_id, who=who)
        shown_from = fixit.photo_links.origin if pages.shows_photo(record) else ""
        token = fixit.forms.token(who)
        return pages.my_task(who, record, token=token, said=said, error=wrong, shown_from=shown_from)

    async def _obeyed(press: "Press", task_id: str, who: Principal, traceparent: str) -> Record | None:
        """The row after what a button asked for; None where it will be done later."""
        if press.act == "cancel":
            return await fixit.submissions.cancel(task_id, who=who, traceparent=traceparent)
        if press.act == "retry":
            return await fixit.retry(task_id, who=who)
        return await fixit.edit(
            task_id, {"isDone": press.act == "finish"}, matches=press.is_for, who=who, traceparent=traceparent
        )


@app.function_name("zz_anything_else")  # the host tries functions in the order of their names: this must be the last
@app.route(route=routes.ANYTHING, auth_level=func.AuthLevel.ANONYMOUS)
@answered
async def anything_else(req: func.HttpRequest) -> func.HttpResponse:
    """Every other path, and every other method of a known one."""
    allowed = routes.allowed_methods(req.route_params.get("path", ""), signed_in=SIGNED_IN)
    if not allowed:
        raise NotFound("There is no such route.", code="unknown_route")
    methods = ", ".join(allowed)
    return problem(
        405, "method_not_allowed", "The method is not allowed", f"Use {methods}.", headers={"Allow": methods}
    )


def _register_queue(name: str, lane: Lane, handle: Callable[[Delivery], Awaitable[None]]) -> None:
    """The triggers of one queue: itself, and what the platform gave up on it.

    Bytes, not text: of a text the host would merge the JSON properties into the message's id, count and times.
    """

    async def deliver(message: func.QueueMessage) -> None:
        await handle(_delivery(lane, message))

    async def deliver_poison(message: func.QueueMessage) -> None:
        await fixit.handle_poison(_delivery(lane, message, is_poison=True))

    for function, called, queue in (
        (deliver, name, lane.queue),
        (deliver_poison, f"{name}_poison", lane.queue + POISON_SUFFIX),
    ):
        trigger = app.queue_trigger(
            arg_name="message", queue_name=queue, connection=lane.connection, data_type=func.DataType.BINARY
        )
        app.function_name(called)(trigger(function))


def _delivery(lane: Lane, message: func.QueueMessage, *, is_poison: bool = False) -> Delivery:
    return Delivery(
        lane=lane,
        is_poison=is_poison,
        raw=message.get_body(),
        message_id=message.id or "",
        dequeue_count=message.dequeue_count or 1,
        inserted_at=message.insertion_time or datetime.now(UTC),
    )


if MAY_START:
    for each in fixit.triggers:
        _register_queue(*each)
else:
    app = func.FunctionApp()  # the host finds nothing that could be reached
