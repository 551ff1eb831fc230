"""The outline of a GIF: a walk over its blocks. Only the first frame is ever decoded."""

from shared.imaging.limits import check_frames, check_parts, check_size, damaged
from shared.imaging.outline import Kind, Outline

_IMAGE, _EXTENSION = 0x2C, 0x21
_CONTROL = 0xF9  # an extension that says which colour is transparent
_END = b";"


def read_gif(data: bytes) -> Outline:
    """Raises PhotoRejected: over a limit, or the first frame is cut short. What is cut behind it is not asked for."""
    try:
        return _read(data)
    except IndexError:
        raise damaged() from None


def _read(data: bytes) -> Outline:
    width, height = _u16(data, 6), _u16(data, 8)
    check_size(width, height)
    position = 13 + _table_bytes(data[10])
    kept, frames, parts = [data[:position]], 0, 0
    while (block := data[position : position + 1]) and block[0] in (_IMAGE, _EXTENSION):
        start = position
        parts += 1
        check_parts(parts)
        try:
            if block[0] == _EXTENSION:
                position = _behind_blocks(data, start + 2)
            else:
                position = _behind_blocks(data, start + 11 + _table_bytes(data[start + 9]))
        except IndexError:
            if frames:
                break
            raise
        if block[0] == _IMAGE:
            frames += 1
            check_frames(frames)
            if frames == 1:
                _check_frame(data, start, width, height)
                kept.append(data[start:position])
        elif not frames and data[start + 1] == _CONTROL:
            kept.append(data[start:position])
    if not frames:
        raise damaged()
    return Outline(kind=Kind.GIF, picture=b"".join([*kept, _END]))


def _check_frame(data: bytes, start: int, width: int, height: int) -> None:
    """A frame that is larger than its canvas makes the canvas larger."""
    frame_width, frame_height = _u16(data, start + 5), _u16(data, start + 7)
    check_size(frame_width, frame_height)
    check_size(max(width, _u16(data, start + 1) + frame_width), max(height, _u16(data, start + 3) + frame_height))


def _u16(data: bytes, position: int) -> int:
    return data[position] | data[position + 1] << 8


def _table_bytes(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _behind_blocks(data: bytes, position: int) -> int:
    """Where a chain of sub-blocks that starts at `position` ends. IndexError where it does not."""
    while size := data[position]:
        position += size + 1
    return position + 1
