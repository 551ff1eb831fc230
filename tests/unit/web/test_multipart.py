"""A task as multipart/form-data: what is right is read to the byte, what is ambiguous is refused by the part's name."""

import hashlib
import time

import azure.functions as func
import pytest

from shared.domain.errors import BodyTooLarge, CallerError, InvalidRequest, InvalidTask, UnsupportedMedia
from shared.web.file_name import file_name
from shared.web.multipart import BODY_MAX_BYTES, read_task
from tests.support.multipart import HEADERS, PIXEL, body, form, part

TITLE = part("title", "t")


def sent(raw: bytes, content_type: str = HEADERS["Content-Type"]) -> func.HttpRequest:
    return func.HttpRequest("POST", "http://x/api/fixits", headers={"Content-Type": content_type}, body=raw)


def refusal(raw: bytes, content_type: str = HEADERS["Content-Type"]) -> CallerError:
    with pytest.raises(CallerError) as caught:
        read_task(sent(raw, content_type))
    return caught.value


def test_fields_are_texts_and_the_photo_is_bytes() -> None:
    photo = bytes(range(256)) * 300 + b"\r\n--X\r\n-- XX"  # over a chunk, and like a boundary at its end
    fields = {"title": "Tür 😀", "notes": "a\r\nb", "priority": "high", "isDone": "true", "contact": "", "owner": "ann"}
    task, found = read_task(sent(form(fields, photo)))
    assert (task.title, task.notes, task.priority, task.is_done) == ("Tür 😀", "a\nb", "high", True)
    assert (task.owner, task.contact, task.photo_name, task.photo_id) == ("ann", "", "roof.jpg", "")
    assert found is not None
    assert (found.data, found.media_type) == (photo, "image/jpeg")
    assert found.digest == hashlib.sha256(photo).hexdigest()


def test_photo_may_be_missing_and_may_come_first() -> None:
    assert read_task(sent(body(TITLE)))[1] is None
    task, photo = read_task(sent(body(part("photo", PIXEL, file="a.gif"), TITLE)))
    assert (task.photo_name, photo and photo.data) == ("a.gif", PIXEL)


def test_file_that_was_not_chosen_is_no_photo() -> None:  # HM-07
    task, photo = read_task(sent(body(TITLE, part("photo", b"", file="", Content_Type="application/octet-stream"))))
    assert (task.photo_name, photo) == ("", None)


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("filename*=UTF-8''%D1%84%D0%BE%D1%82%D0%BE.jpg", "фото.jpg"),  # HM-01
        ('filename="фото😀.jpg"', "фото😀.jpg"),  # BN-03
        ('filename="roof #2?%20 100%.jpg"', "roof #2?%20 100%.jpg"),  # BN-01
        ('filename="say %22hi%22.jpg"', 'say "hi".jpg'),  # as browsers write a quotation mark
        ('filename="../../secret.jpg"', "secret.jpg"),  # HM-07
        ('filename="C:\\Users\\x\\a.jpg"', "a.jpg"),
        ('filename="a\0.jpg"', "a.jpg"),
        ('filename="a\u202e\u2028\x85gpj.jpg"', "a\u202egpj.jpg"),
        (f'filename="{"n" * 300}.jpg"', "n" * 255),
        ("filename=\"old.jpg\"; filename*=UTF-8''new.jpg", "new.jpg"),
    ],
    ids=range(10),
)
def test_name_of_a_file_is_its_last_segment_fit_to_be_shown(disposition: str, name: str) -> None:
    photo = part("photo", PIXEL, disposition=f'form-data; name="photo"; {disposition}')
    task, found = read_task(sent(body(TITLE, photo)))
    assert task.photo_name == name
    assert found and found.data == PIXEL


@pytest.mark.parametrize(
    ("parts", "field", "rule"),
    [
        ((TITLE, part("title", "u")), "title", "comes twice"),  # HM-08
        ((TITLE, part("photo", b"A", file="a.jpg"), part("photo", b"B", file="b.jpg")), "photo", "comes twice"),
        ((TITLE, part("photo", PIXEL, Content_Type="image/jpeg")), "photo", "needs a file name"),  # HM-03
        ((TITLE, part("photo", PIXEL, file="")), "photo", "empty file name"),  # HM-07
        ((TITLE, part("photo", PIXEL, file="../")), "photo", "empty file name"),
        ((TITLE, part("photo", b"", file="a.jpg")), "photo", "is empty"),
        ((TITLE, part("photo", "/9j/4AAQ", file="a.jpg", Content_Transfer_Encoding="base64")), "photo", "as it is"),
        ((TITLE, part("notes", "x", file="a.txt")), "notes", "is a file"),
        ((TITLE, part("notes", b"\xff")), "notes", "not UTF-8"),
        ((TITLE, part("notes", "x", Content_Type="text/plain; charset=latin-1")), "notes", "must be in UTF-8"),
        ((TITLE, part("isDone", "yes")), "isDone", "true or false"),
        ((TITLE, part("colour", "red")), "colour", "is not a field of a task"),
        ((TITLE, part("photoId", "p1"), part("photo", PIXEL, file="a.gif")), "photoId", "leave it out"),
        ((TITLE, part("photoName", "x"), part("photo", PIXEL, file="a.gif")), "photoName", "leave it out"),
        ((part("photo", PIXEL, file="a.gif"),), "title", "is needed"),
    ],
    ids=range(15),
)
def test_part_that_breaks_a_rule_is_named(parts: tuple[bytes, ...], field: str, rule: str) -> None:
    error = refusal(body(*parts))
    assert isinstance(error, InvalidTask)
    assert [each.field for each in error.errors] == [field]
    assert rule in error.errors[0].message


@pytest.mark.parametrize(
    ("raw", "content_type", "why"),
    [
        (TITLE, HEADERS["Content-Type"], "closing boundary"),
        (b"nonsense", HEADERS["Content-Type"], "closing boundary"),
        (body(TITLE), "multipart/form-data", "no boundary"),
        (body(TITLE), f"multipart/form-data; boundary={'b' * 71}", "no boundary"),
        (body(TITLE), "multipart/form-data; boundary=other", "closing boundary"),
        (body(b"--XX\r\nContent-Type: text/plain\r\n\r\nx\r\n"), HEADERS["Content-Type"], "no Content-Disposition"),
        (body(part("", "x", disposition="form-data")), HEADERS["Content-Type"], "has no name"),
        (body(part("", "x", disposition='attachment; name="title"')), HEADERS["Content-Type"], "no form-data"),
        (body(part("title", "t", X_Long="x" * 70_000)), HEADERS["Content-Type"], "headers of a part"),
        (b"--XX\r\nContent-Disposition: form-data; name=\xff\r\n\r\nx\r\n--XX--", HEADERS["Content-Type"], "not UTF-8"),
    ],
    ids=range(10),
)
def test_body_that_cannot_be_taken_apart_is_refused(raw: bytes, content_type: str, why: str) -> None:
    error = refusal(raw, content_type)
    assert isinstance(error, InvalidRequest)
    assert error.code == "malformed_multipart"
    assert why in error.detail


def test_body_and_photo_have_their_limits() -> None:
    assert isinstance(refusal(b"x" * (BODY_MAX_BYTES + 1)), BodyTooLarge)
    over = refusal(form({"title": "t"}, bytes(10 * 1024 * 1024 + 1)))
    assert isinstance(over, BodyTooLarge)
    assert "10,485,760 bytes" in over.detail
    _, photo = read_task(sent(form({"title": "t"}, bytes(10 * 1024 * 1024))))
    assert photo and len(photo.data) == 10 * 1024 * 1024


def test_other_types_and_compression_are_not_taken() -> None:
    assert isinstance(refusal(body(TITLE), "multipart/mixed; boundary=XX"), UnsupportedMedia)
    request = func.HttpRequest("POST", "http://x", headers={**HEADERS, "Content-Encoding": "gzip"}, body=body(TITLE))
    with pytest.raises(UnsupportedMedia):
        read_task(request)


@pytest.mark.parametrize(
    "raw",
    [
        body(*(part(f"f{number}", "x") for number in range(5_000))),
        b"\r\n--XX" * 1_500_000,
        b"--XX\r\nContent-Disposition: form-data; name=" + b"\\" * 10_000_000,
        b"--XX\r\n" + b"a: b\r\n " * 1_400_000,
        b"--XX\r\n"
        + b'Content-Disposition: form-data; name="title"; a='
        + b';a="' * 1_500
        + b"\r\n\r\n"
        + b"\r" * 10_000_000,
    ],
    ids=["5,000 parts", "boundaries", "a name", "a header", "line ends"],
)
def test_hostile_body_is_refused_in_under_a_second(raw: bytes) -> None:  # HM-05
    began = time.process_time()
    refusal(raw)
    assert time.process_time() - began < 1


def test_name_is_read_by_the_rules_where_it_holds_no_path() -> None:
    assert file_name('form-data; name="photo"; filename="a\\"b.jpg"', 'a"b.jpg') == 'a"b.jpg'
    assert file_name('form-data; name="photo"; filename="  a.jpg "', "  a.jpg ") == "a.jpg"
