"""What the host answers at `/` where no function does."""

from devhost.http.response import Answer
from devhost.settings.configuration import Configuration

SETTING = "AzureWebJobsDisableHomepage"

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Functions</title></head>
<body><h1>Your Functions 4.0 app is up and running</h1></body>
</html>
"""


def home_page(configuration: Configuration) -> Answer | None:
    """The page of the real host where the setting is there; 204 where it is `true`, in any case.

    Without the setting there is no page: `/` then is a path like any other, as the host's own router has it.
    """
    setting = configuration.get(SETTING)
    if setting is None:
        return None
    if setting.lower() == "true":
        return Answer(status=204)
    return Answer(status=200, headers=(("Content-Type", "text/html"),), body=_PAGE.encode())
