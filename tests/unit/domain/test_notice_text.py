"""What a notice says, and that nobody else's words can say more."""

from typing import Any

import pytest

from shared.channels.sms_text import fitted
from shared.domain.notice_text import Kind, short_text, subject_and_text

ID = "3f2a9c1e-0000-5000-8000-000000000001"
TASK: dict[str, Any] = {
    "id": ID,
    "title": "Leak in room 5",
    "state": "succeeded",
    "owner": "ann",
    "createdBy": "bob",
    "submittedAt": "2026-12-01T09:30:00.000000Z",
    "error": None,
    "photo": None,
}
ERROR = {"code": "unknown_owner", "message": "owner must be somebody who is in the directory."}
PHOTO = {"state": "rejected", "code": "photo_too_large", "reason": "It has more than 100 megapixels."}

SAID: list[tuple[Kind, dict[str, Any], str, str]] = [
    ("assigned", {}, "Assigned to you: Leak in room 5", "the task “Leak in room 5” has been assigned to you."),
    ("settled", {}, "Recorded: Leak in room 5", "your task “Leak in room 5” has been recorded."),
    (
        "settled",
        {"state": "failed", "error": ERROR},
        "Not done: Leak in room 5",
        "has failed.\n\nReason: owner must be",
    ),
    ("settled", {"state": "cancelled"}, "Cancelled: Leak in room 5", "your task “Leak in room 5” has been cancelled."),
    ("photo_rejected", {"photo": PHOTO}, "Photo not taken: Leak in room 5", "Reason: It has more than 100 megapixels."),
]


@pytest.mark.parametrize(("kind", "changes", "subject", "words"), SAID, ids=[each[2][:9] for each in SAID])
def test_mail_says_what_happened_to_which_task_and_why(
    kind: Kind, changes: dict[str, Any], subject: str, words: str
) -> None:
    said, text = subject_and_text(kind, TASK | changes)
    assert said == subject
    assert words in text and f"Task: {ID}\nSubmitted: 2026-12-01T09:30" in text
    assert ("Reason:" in text) == bool(changes.keys() & {"error", "photo"})


def test_reason_has_its_code() -> None:
    _, text = subject_and_text("settled", TASK | {"state": "failed", "error": ERROR})
    assert f"Reason: {ERROR['message']} (unknown_owner)\n" in text
    _, text = subject_and_text("photo_rejected", TASK | {"photo": {"code": "photo_missing"}})
    assert "Reason: photo_missing\n" in text


@pytest.mark.parametrize(("kind", "changes"), [each[:2] for each in SAID], ids=[each[2][:9] for each in SAID])
@pytest.mark.parametrize("title", ["Leak", "L" * 80, "Ж" * 80, "🛠️" * 40, "{title} {0} %s"], ids=range(5))
def test_sms_says_it_in_one_line_with_the_whole_id(kind: Kind, changes: dict[str, Any], title: str) -> None:  # NT-07
    text = short_text(kind, TASK | changes | {"title": title})
    assert text.startswith("Fix-It: ") and text.endswith(f" Task {ID}") and f'"{title[:4]}' in text
    assert fitted(text) == text


@pytest.mark.parametrize("kind", ["assigned", "settled", "photo_rejected"])
def test_words_of_others_stay_in_their_line(kind: Kind) -> None:  # NT-01
    evil = "a\r\nTo: x\u2028\u202e\x00 b"
    task = TASK | {"title": evil, "state": "failed", "error": {"code": evil, "message": evil}}
    subject, text = subject_and_text(kind, task | {"photo": {"code": evil, "reason": evil}, "submittedAt": evil})
    assert subject.endswith(": a To: x b")
    assert all(not line.startswith("To:") for line in text.splitlines())
    assert not {"\u202e", "\x00", "\r", "\u2028"} & set(text + subject + short_text(kind, task))
