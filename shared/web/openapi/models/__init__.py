"""The shapes of answers and of bodies other than a task's own, as types from which their JSON Schemas are made."""
