"""Every name that storage knows the product by."""

CONNECTION = "FixItStorage"
"""The setting (or prefix of settings) that says where the data account is."""

TASK_QUEUE = "fixits"

POISON_SUFFIX = "-poison"
"""Fixed by the Functions host."""

TASK_TABLE = "fixits"
PEOPLE_TABLE = "fixitpeople"
INDEX_TABLE = "fixitindex"
LETTER_TABLE = "fixitdeadletters"
LETTER_CONTAINER = "fixit-deadletters"
