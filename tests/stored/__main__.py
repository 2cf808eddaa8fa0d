"""Write the stored values again: ``python -m tests.stored [GROUP ...]``. Look at what changed before you commit it."""

import sys

from tests.stored.comparing import read_group, write_group
from tests.stored.declared import declared, module_names
from tests.stored.groups import GROUPS

for group in sys.argv[1:] or ("declared", *GROUPS):
    if group == "declared":
        before = read_group(group)  # compiled modules do not tell: what the interpreted build told of them is kept
        write_group(group, {name: declared(name) or before.get(name, {}) for name in module_names()})
    else:
        write_group(group, {name: GROUPS[group].value(name) for name in GROUPS[group].names()})
