"""Every model of the registry and its class: written by hand where scikit-learn's names and meanings need it, else made from its declaration."""

from __future__ import annotations

from . import discriminant_analysis, linear_model, margins, mixed, naive_bayes, neighbors, neural_network
from ._frames import StoredModel
from .declared import ENTRIES, class_of

_WRITTEN = {
    name: getattr(module, name)
    for module in (naive_bayes, discriminant_analysis, linear_model, margins, mixed, neighbors, neural_network)
    for name in module.__all__
}

#: Classes that nobody wrote, by name.
MADE = {entry["python"]: class_of(entry) for entry in ENTRIES.values() if entry["python"] not in _WRITTEN}

#: The class of every model of the registry, by the name that the registry has for it.
CLASSES = {entry["python"]: (_WRITTEN | MADE)[entry["python"]] for entry in ENTRIES.values()}


def class_of_family(family: str | None) -> type:
    """The class of the family's model that takes columns of every kind; one that only predicts where there is none."""
    kinds = ("takes_numbers", "takes_categories", "takes_booleans", "takes_text")
    takes_all = (entry for entry in ENTRIES.values() if entry["family"] == family and all(entry[kind] for kind in kinds))
    return next((CLASSES[entry["python"]] for entry in takes_all), StoredModel)
