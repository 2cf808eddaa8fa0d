"""The documented path from before the values moved: `from multislot.exact.names import named` still works."""

import sys

from multislot.exact import futures

sys.modules[__name__] = futures
