"""What people read: summaries in several formats, HTML in notebooks."""

from __future__ import annotations


class Rendered:
    """Something with a summary."""

    def _render(self, format: str) -> str:
        raise NotImplementedError

    def summary(self, format: str = "table") -> str:
        """Give it for people.

        Parameters
        ----------
        format : {'table', 'md', 'html', 'latex', 'json'}, default='table'
            How it is written.

        Returns
        -------
        str
            The text.
        """
        return self._render(format)

    def _repr_html_(self) -> str:
        return self._render("notebook")
