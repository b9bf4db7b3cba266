"""Writes files."""

from __future__ import annotations

import os

from ._typing import Path


def write_at_once(path: Path, text: str, private: bool = False) -> None:
    """Writes a text to a file. A reader sees either the old file or the whole new file. If
    ``private``, only the user can read the new file."""
    final = os.fsdecode(path)
    temporary = f"{final}.{os.getpid()}.{os.urandom(4).hex()}"
    mode = 0o600 if private else 0o666

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, mode)

    with open(temporary, "x", encoding="utf-8", newline="\n", opener=opener) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, final)
        except BaseException:
            os.unlink(temporary)
            raise
