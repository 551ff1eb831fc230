"""Every name that storage knows the product by."""

CONNECTION = "FixItStorage"
"""The setting (or prefix of settings) that says where the data account is."""

TASK_QUEUE = "fixits"

POISON_SUFFIX = "-poison"
"""Fixed by the Functions host."""

PHOTO_QUEUE = "fixit-photos"
NOTICE_QUEUE = "fixit-notices"

TASK_TABLE = "fixits"
PEOPLE_TABLE = "fixitpeople"
INDEX_TABLE = "fixitindex"
LETTER_TABLE = "fixitdeadletters"
NOTICE_TABLE = "fixitnotices"
LETTER_CONTAINER = "fixit-deadletters"
PHOTO_CONTAINER = "photos"
