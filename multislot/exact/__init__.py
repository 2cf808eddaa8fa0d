"""Exact history-based worlds: kernels, beliefs about where one is, values, and plans on them (Orseau 2014).

The names are in ``__init__.pyi``. The module of a name is imported when the name is used (SPEC 1).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
