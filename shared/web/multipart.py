"""Reading a task that comes as `multipart/form-data` (RFC 7578): its fields as text parts, and at most one photo.

Werkzeug, which azure-functions brings along, finds the parts; what may stand in them is decided here. It is strict:
what is ambiguous is refused, naming the part.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from itertools import chain
from typing import Any

import azure.functions as func
from msgspec.structs import replace
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData, Preamble, State

from shared.domain.errors import BodyTooLarge, FieldError, InvalidRequest, InvalidTask
from shared.domain.task import Task, parse_task
from shared.services.named_photo import PHOTO_MAX_BYTES, PhotoPart
from shared.web.file_name import file_name
from shared.web.request import MULTIPART, read_body

BODY_MAX_BYTES = PHOTO_MAX_BYTES + 128 * 1024
"""A photo, and a task as text: a message takes 47 KiB of it."""

PHOTO = "photo"

_PARTS_MAX = 32
"""Over twice the fields that a task has."""
_HEADER_MAX_BYTES = 8 * 1024
_CHUNK_BYTES = 64 * 1024
_PLAIN = ("", "7bit", "8bit", "binary")


@dataclass(frozen=True, kw_only=True, repr=False)
class Part:
    """One part. `file` is the name of the file that it is; None for a text. What it says of its own type and character
    set may be empty, or wrong."""

    name: str
    file: str | None
    media_type: str
    charset: str
    data: bytes


def read_task(request: func.HttpRequest) -> tuple[Task, PhotoPart | None]:
    """The task in the body, and the photo that comes with it. It is work of up to 100 ms: call it in a thread.

    Raises:
        UnsupportedMedia: it is not multipart/form-data. BodyTooLarge: the body or the photo is over its limit.
        InvalidRequest: it cannot be taken apart. InvalidTask: a part breaks a rule.
    """
    fields, photo = read_parts(request, photo=PHOTO)
    given: dict[str, Any] = {**fields}
    if "isDone" in given:
        given["isDone"] = {"true": True, "false": False}.get(given["isDone"], given["isDone"])
    if photo is None:
        return parse_task(given), None
    both = [name for name in ("photoId", "photoName") if given.get(name)]
    if both:
        raise _refused(
            both[0], "goes with a photo that is uploaded by itself; leave it out where the photo comes along"
        )
    return replace(parse_task(given), photo_name=photo.file or ""), as_photo(photo)


def read_parts(
    request: func.HttpRequest, *, photo: str, names: Collection[str] | None = None
) -> tuple[Mapping[str, str], Part | None]:
    """The texts by their names, and the file of the part that is called `photo`; None where there is none, or one
    without name and content, as browsers send it where no file was chosen. Line ends of texts are line feeds.

    `names`: the texts that may be there; None: any, each once. Errors as `read_task`.
    """
    body = read_body(request, taken=(MULTIPART,), most=BODY_MAX_BYTES, too_large=BodyTooLarge)
    texts: dict[str, str] = {}
    found: Part | None = None
    seen = set()
    for part in _parts(body, _boundary(request.headers.get("Content-Type", ""))):
        if part.name in seen:
            raise _refused(part.name, "comes twice; send it once")
        seen.add(part.name)
        if part.name == photo:
            found = _checked_photo(part)
        elif names is not None and part.name not in names:
            raise _refused(part.name, "is not a field of this form")
        elif part.file is not None:
            raise _refused(part.name, f"is a file; the one part that may be one is {photo}")
        else:
            texts[part.name] = _text(part)
    return texts, found


def as_photo(part: Part) -> PhotoPart:
    """The photo that a part holds."""
    return PhotoPart(data=part.data, digest=hashlib.sha256(part.data).hexdigest(), media_type=part.media_type)


def _checked_photo(part: Part) -> Part | None:
    if part.file is None:
        raise _refused(part.name, 'needs a file name: Content-Disposition: form-data; name="photo"; filename="…"')
    if not part.data:
        if not part.file:
            return None
        raise _refused(part.name, "is empty; leave the part out, or send the file")
    if not part.file:
        raise _refused(part.name, "has an empty file name; give it one")
    if len(part.data) > PHOTO_MAX_BYTES:
        rule = f"must be at most {PHOTO_MAX_BYTES:,} bytes; it has {len(part.data):,}"
        raise BodyTooLarge(f"{part.name} {rule}.", errors=[FieldError(part.name, rule)])
    return part


def _text(part: Part) -> str:
    if part.charset not in ("", "utf-8", "utf8"):
        raise _refused(part.name, "must be in UTF-8; other character sets are not taken")
    try:
        return part.data.decode("utf-8").replace("\r\n", "\n")  # as HTML has browsers write a line end
    except UnicodeDecodeError as error:
        raise _refused(part.name, f"is not UTF-8 at byte {error.start}") from None


def _parts(body: bytes, boundary: bytes) -> Iterator[Part]:
    decoder = MultipartDecoder(boundary, max_parts=_PARTS_MAX)
    head: Field | File | None = None
    pieces: list[bytes] = []
    try:
        for event in _events(decoder, body):
            match event:
                case Field() | File():
                    head, pieces = event, []
                case Data(data=data, more_data=more_data):
                    pieces.append(data)
                    if head and not more_data:
                        yield _part(head, b"".join(pieces))
    except RequestEntityTooLarge:
        raise _malformed(f"it has more than {_PARTS_MAX} parts") from None
    except UnicodeDecodeError:
        raise _malformed("a header of a part is not UTF-8") from None
    except ValueError:
        raise _malformed("it ends before its closing boundary, or a part has no Content-Disposition") from None


def _events(decoder: MultipartDecoder, body: bytes) -> Iterator[Preamble | Field | File | Data | Epilogue]:
    """In chunks, so that no header is ever looked at that is longer than one."""
    chunks = (body[at : at + _CHUNK_BYTES] for at in range(0, len(body), _CHUNK_BYTES))
    for chunk in chain(chunks, (None,)):
        decoder.receive_data(chunk)
        while not isinstance(event := decoder.next_event(), NeedData):
            yield event  # type: ignore[misc]
            if isinstance(event, Epilogue):
                return
        if decoder.state is State.PART and len(decoder.buffer) > _HEADER_MAX_BYTES:
            raise _malformed(f"the headers of a part have more than {_HEADER_MAX_BYTES:,} bytes")


def _part(head: Field | File, data: bytes) -> Part:
    disposition = head.headers.get("Content-Disposition", "")
    if not isinstance(head.name, str) or not disposition.lower().lstrip().startswith("form-data"):
        raise _malformed("a part has no name, or is no form-data")
    encoding = head.headers.get("Content-Transfer-Encoding", "").strip().lower()
    if encoding not in _PLAIN:
        raise _refused(head.name, "must be sent as it is, without Content-Transfer-Encoding")
    says = Message()
    says["Content-Type"] = head.headers.get("Content-Type", "").replace("\r", " ").replace("\n", " ")
    return Part(
        name=head.name,
        file=file_name(disposition, head.filename) if isinstance(head, File) else None,
        media_type=says.get_content_type(),
        charset=says.get_content_charset("").lower(),
        data=data,
    )


def _boundary(content_type: str) -> bytes:
    header = Message()
    header["Content-Type"] = content_type
    boundary = header.get_param("boundary")
    if not isinstance(boundary, str) or not 1 <= len(boundary) <= 70 or not boundary.isascii():
        raise _malformed("its Content-Type names no boundary of 1 to 70 ASCII characters")
    return boundary.encode()


def _refused(name: str, rule: str) -> InvalidTask:
    shown = "".join(char for char in name[:80] if char.isprintable())
    return InvalidTask(f"{shown} {rule}.", errors=[FieldError(shown, rule)])


def _malformed(why: str) -> InvalidRequest:
    return InvalidRequest(f"The body cannot be read as multipart/form-data: {why}.", code="malformed_multipart")
