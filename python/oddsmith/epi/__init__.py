"""Tables, strata and matched sets as epidemiologists ask for them.

Everything is counted or fitted by the same procedures as the command's ``oddsmith table`` and ``oddsmith fit``, and ``tidy()`` has the columns that R's
broom made customary.
"""

from .._accounts import Account
from .description import describe
from .matched import ConditionalLogit
from .risks import effects
from .scans import confounding, subgroups
from .tables import StratifiedTable, Table2x2

__all__ = ["Account", "ConditionalLogit", "StratifiedTable", "Table2x2", "confounding", "describe", "effects", "subgroups"]
