"""The shape of somebody in the directory."""

from shared.web.openapi.models.common import Shape


class PersonView(Shape):
    """Somebody in the directory; what is not known is empty."""

    person: str
    name: str
    email: str
    phone: str
