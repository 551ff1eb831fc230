"""Phone numbers, as people write them and as they are kept: international, digits alone (E.164)."""

import re

_BLANK_OR_DASH = re.compile(r"[ \u00a0\u202f.\u2010\u2011\u2013-]")
_BETWEEN = re.compile(rf"{_BLANK_OR_DASH.pattern}|[()]")
"""What people put between digits: blanks, parentheses, dots and dashes."""

_WRITTEN_MAX = 40

_NOT_FROM_ABROAD = re.compile(r"\(\s*0\s*\)")
"""In an international number: the 0 that is dialled within the country alone."""

_WITH_0 = """
AE:971 AF:93 AL:355 AT:43 AU:61 AZ:994 BA:387 BD:880 BE:32 BG:359 CH:41 CN:86 DE:49 DZ:213 EG:20 ET:251 FI:358 FR:33
GB:44 GH:233 HR:385 ID:62 IE:353 IL:972 IN:91 IQ:964 IR:98 JO:962 JP:81 KE:254 KH:855 KR:82 LK:94 LY:218 MA:212 ME:382
MK:389 MM:95 MY:60 NG:234 NL:31 NZ:64 PH:63 PK:92 RO:40 RS:381 SA:966 SD:249 SE:46 SI:386 SK:421 SY:963 TH:66 TR:90
TW:886 TZ:255 UA:380 UG:256 VN:84 YE:967 ZA:27 ZW:263
"""
"""Countries where a 0 is dialled before a national number, and left out from abroad. Elsewhere it belongs to the number
(Italy), or there is none (Spain), or it is another digit (Russia): a guess would be a stranger's number."""

_CALLING_CODES = dict(pair.split(":") for pair in _WITH_0.split())

REGION = rf"^(?:{'|'.join(_CALLING_CODES)})$"
"""A country whose national numbers can be taken."""

_NATIONAL = re.compile(r"0([1-9][0-9]{5,13})")


def as_e164(written: str, *, region: str = "") -> str:
    """The number in E.164 if that is what was written but for what people put between digits, or if it is a national
    one, with its 0, of a region that is given (two letters of `REGION`); else what was written, which is none."""
    if len(written) > _WRITTEN_MAX:
        return written
    between = _BLANK_OR_DASH if _NOT_FROM_ABROAD.search(written) else _BETWEEN
    number = between.sub("", written)
    if region in _CALLING_CODES and (national := _NATIONAL.fullmatch(number)):
        return f"+{_CALLING_CODES[region]}{national[1]}"
    return number
