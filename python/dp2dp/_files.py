"""Writes files."""

from __future__ import annotations

import os

from ._typing import Path


def write_at_once(path: Path, text: str) -> None:
    """Replaces a file by a text: a reader sees the old file or all of the new one."""
    final = os.fsdecode(path)
    temporary = f"{final}.{os.getpid()}.{os.urandom(4).hex()}"
    with open(temporary, "x", encoding="utf-8", newline="\n") as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, final)
        except BaseException:
            os.unlink(temporary)
            raise
