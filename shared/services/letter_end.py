"""Close a letter, if nobody changed it meanwhile."""

from shared.domain.letter import Letter
from shared.storage.letters import LetterStore
from shared.storage.table import StaleRow


async def end_letter(closed: Letter, *, letters: LetterStore) -> bool:
    """Write a letter as it was closed. False, and nothing written, if somebody else changed it since it was read."""
    try:
        await letters.change(closed)
    except StaleRow:
        # Perhaps it was this very call: an answer that got lost is asked for again, and finds its own change.
        return await letters.read(closed.queue, closed.key) == closed
    return True
