"""Requests for photos, and the answers to them."""

import azure.functions as func

from shared.domain import instants
from shared.domain.errors import BodyTooLarge, FieldError
from shared.services.named_photo import PHOTO_MAX_BYTES
from shared.services.photo_uploads import MEDIA_TYPES, Offer
from shared.web.answers import as_json
from shared.web.parameters import Parameters
from shared.web.request import read_object

NAME_MAX = 255


def read_wish(request: func.HttpRequest) -> tuple[str, str]:
    """The name and the media type of the photo that is to be uploaded, as far as the body, if there is one, says them.

    Raises:
        BodyTooLarge: the photo, or the body, is over its limit. InvalidRequest: names all else that is wrong.
    """
    if not request.get_body():
        return "", ""
    given = Parameters(read_object(request, too_large=BodyTooLarge))
    name = given.line("name", most=NAME_MAX)
    media_type = given.choice("type", MEDIA_TYPES, "")
    size = given.number("size", low=1, high=10**12)
    given.check()
    if size > PHOTO_MAX_BYTES:
        rule = f"must be at most {PHOTO_MAX_BYTES:,} bytes; make the photo smaller"
        raise BodyTooLarge(f"size {rule}.", errors=[FieldError("size", rule)])
    return name, media_type


def offered(offer: Offer) -> func.HttpResponse:
    """201: what to put where, and the id for the task. The link is a secret: it is in the body alone."""
    body = {
        "photoId": offer.photo_id,
        **({"photoName": offer.name} if offer.name else {}),
        "goodUntil": instants.to_text(offer.good_until),
        "upload": {
            "method": "PUT",
            "url": offer.url,
            "headers": dict(offer.headers),
            "expiresAt": instants.to_text(offer.expires_at),
            "maxBytes": PHOTO_MAX_BYTES,
        },
    }
    return as_json(201, body)


def found_at(url: str) -> func.HttpResponse:
    """302: where the photo can be read for some minutes. Nobody keeps that: the next look asks anew."""
    return func.HttpResponse(status_code=302, headers={"Location": url, "Cache-Control": "private, no-store"})
