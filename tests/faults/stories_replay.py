"""A task submitted again under its key, after it was recorded."""

from tests.faults.stories_submit import BODY
from tests.faults.story import KEY, READ_ROW, Story, asked, is_recorded, record_once

STORIES: dict[str, Story] = {
    "submit a recorded one again": Story(
        before=record_once,
        act=asked("POST", "/api/fixits", BODY, key=KEY, status=202),
        requests={"what the key stands for": READ_ROW},
        check=is_recorded,
    ),
}
