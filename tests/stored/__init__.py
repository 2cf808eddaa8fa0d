"""What the packages computed and declared when it was last looked at: a change that nobody meant is noticed.

`GROUPS` of `tests.stored.groups` lists what is compared; the values are in ``values/<group>.json``. If a change is
meant, write them again and look at the difference: ``python -m tests.stored [GROUP ...]``.
"""
