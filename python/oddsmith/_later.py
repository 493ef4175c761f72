"""A fitted estimator that becomes one when it is first used: its class needs scikit-learn, which takes longer to import than many fits."""

from __future__ import annotations

from typing import Any

from . import _core


class Later:
    """A fitted model of the registry that nobody has used yet.

    Whatever is asked of it, it becomes an object of the model's class first: the same object, so nothing that holds it is left with this one.
    Models are handed on to workers as they are, for which no class is needed.
    """

    def __init__(self, model: _core.Model) -> None:
        object.__setattr__(self, "_model", model)

    def _finished_model(self) -> _core.Model:
        return object.__getattribute__(self, "_model")

    def _made(self) -> Any:
        """The estimator, as another object."""
        from .files import of_model
        from .logit import Logit

        model = self._finished_model()
        # A question names its columns, so its regression takes frames, whatever its columns hold.
        return Logit._of_model(model) if Logit._is_for(model) else of_model(model)

    def _become(self) -> Any:
        made = self._made()
        object.__dict__["__class__"].__set__(self, type(made))
        self.__dict__.update(made.__dict__)
        return self

    @property
    def __class__(self) -> type:
        # `isinstance` compares this with the type that the object had before it asked, which therefore must not change now.
        return type(self._made())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._become(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._become(), name, value)

    def __dir__(self) -> list[str]:
        return dir(self._become())

    def __repr__(self) -> str:
        return repr(self._become())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._become().__reduce_ex__(protocol)
