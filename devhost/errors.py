"""What can go wrong with the local host itself, as text for the person who started it.

HostError
  HostConfigError   host.json, local settings or an override cannot be used: the host refuses to start
  FunctionError     one function cannot be set up: it is lost, the host goes on without it
  HostEnded         the host ends by itself, as the real one would; exit status non-zero
"""


class HostError(Exception):
    """The message is for people: it already names the file and the key, and says what to do."""


class HostConfigError(HostError):
    """The configuration is refused, so the host does not start."""


class FunctionError(HostError):
    """A function cannot be listened for; the others are not touched."""


class HostEnded(HostError):
    """The host ends by itself; the message is the reason."""
