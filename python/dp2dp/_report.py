"""A report about a model, as one HTML page."""

from __future__ import annotations

from html import escape

from ._files import write_at_once
from ._typing import Path
from ._warn import FairnessWarning, warn


class Report:
    """The page of :meth:`dp2dp.Model.report`. ``html`` is the text of the page. ``exact`` is True
    if the page holds exact counts about real people; such a page must not be published. Notebooks
    show the page."""

    def __init__(self, html: str, exact: bool) -> None:
        self.html = html
        self.exact = exact

    def save(self, path: Path) -> None:
        """Writes the page to ``path``, either completely or not at all. If the page holds exact
        counts, only you can read the file (mode 0600)."""
        write_at_once(path, self.html, private=self.exact)

    def __repr__(self) -> str:
        kind = "exact counts about real people: do not publish" if self.exact else "no exact counts"
        return f"<dp2dp report: {len(self.html)} characters, {kind}>"

    def _repr_html_(self) -> str:
        """Returns the page inside an iframe. The page can run its own scripts there, but cannot
        reach the notebook."""
        return (
            '<iframe title="dp2dp report" sandbox="allow-scripts" width="100%" height="720" '
            f'srcdoc="{escape(self.html, quote=True)}"></iframe>'
        )


def caution_of(found: str) -> str:
    """Returns the caution of a page about people that the model has learned from. ``found`` says
    how many of the rows these are."""
    return (
        f"{found} were also used to fit or train the model. The test makes the rule look better "
        "than it is, and this page shows exact counts about these people."
    )


def say_unchecked() -> None:
    """Warns that nobody has checked whether the sweep in a report is about the model's data."""
    warn(
        "sweep-unchecked: the model does not name its data, so nobody has checked that the sweep "
        "is about the same kind of data, with the same groups and classes. To have it checked, "
        "pass data_name, the name that dp2dp sweep --name gave the data",
        FairnessWarning,
    )
