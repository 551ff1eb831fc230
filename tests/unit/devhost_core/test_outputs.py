import json

import pytest
from azure.functions import QueueMessage
from azure.functions.queue import QueueMessageOutConverter
from azure_functions_runtime.bindings.datumdef import Datum

from devhost.queues.outputs import messages


def sent(value: object) -> list[str]:
    """The texts that a Python value ends up as, through the functions library's own converter."""
    made = QueueMessageOutConverter.encode(value, expected_type=None)
    return [body.decode() for body in messages(Datum(made.value, made.type))]


def test_bytes_are_one_message_as_they_are() -> None:
    assert messages(Datum(b'{"a":1}\xff', "bytes")) == [b'{"a":1}\xff']


def test_plain_text_is_one_message_as_it_is() -> None:
    assert sent("  hello {x} ") == ["  hello {x} "]
    assert sent("") == [""]


def test_text_shaped_like_an_object_is_written_again_indented() -> None:
    assert sent(' {"a":{"b":[]},"c":"\xe9"} ') == ['{\n  "a": {\n    "b": []\n  },\n  "c": "\xe9"\n}']


def test_text_shaped_like_an_array_is_one_message_an_element() -> None:
    assert sent('["raw {", null, {"a":1}, 7, true]') == ["raw {", "", '{\n  "a": 1\n}', "7", "True"]


def test_text_that_only_looks_like_json_fails() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        sent("{not json}")


def test_list_of_text_is_one_message_each_not_parsed_again() -> None:
    assert sent(["a", '{"b":1}']) == ["a", '{"b":1}']


def test_dict_is_one_message_a_key() -> None:
    assert sent({"a": 1, "b": 2}) == ["a", "b"]


def test_queue_message_is_sent_with_its_wrapper() -> None:
    assert json.loads(sent(QueueMessage(id="i", body="text"))[0]) == {"id": "i", "body": "text"}
    assert [json.loads(text)["body"] for text in sent([QueueMessage(body="1"), QueueMessage(body="2")])] == ["1", "2"]
