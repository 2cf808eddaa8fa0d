"""Names of the papers' tasks, which cost no import of anything else."""

TASKS = (
    "box",
    "shared-key",
    "garden",
    "doll",
    "mail-room",
    "kitchen-salad",
    "kitchen-peanut",
    "kitchen-salt",
    "kitchen-cookie",
)
"""Names of the papers' tasks."""
