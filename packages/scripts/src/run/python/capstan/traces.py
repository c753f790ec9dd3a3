"""Removes the processes and temporary files of a call, in a worker that has its own."""

import os
import signal
import time
import typing

from capstan.inherited import Inherited, identity

FOLDERS = ("/tmp", "/dev/shm", "/dev/mqueue")
SHARED_MEMORY = ("/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg")


class Traces:
    """Records the files before the first call."""

    def __init__(self) -> None:
        self.inherited = Inherited()
        self.known = found()
        if self.known or self.inherited.files:
            # The clock of file times ticks every few milliseconds. Wait, so that changes by a call get a later time.
            time.sleep(0.02)

    def remove(self) -> bool:
        """Ends remaining processes and deletes new files. Returns False if something may be left."""
        if not end_others():
            return False
        try:
            for folder in FOLDERS:
                for path, is_folder in below(folder):
                    if path not in self.known:
                        os.rmdir(path) if is_folder else os.unlink(path)
            is_as_it_was = self.inherited.restore() and (not self.known or found() == self.known)
            return is_as_it_was and not any(has_entries(path) for path in SHARED_MEMORY)
        except OSError:
            return False


def found() -> dict:
    """Returns the files by path. A folder's times are ignored, because files in it are created and deleted."""
    known = {}
    for folder in FOLDERS:
        for path, is_folder in below(folder):
            status = os.lstat(path)
            known[path] = identity(status)[:2] if is_folder else identity(status)
    return known


def end_others() -> bool:
    """Ends all other processes, and waits until they are gone."""
    for _ in range(1000):
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return True
        time.sleep(0.001)
    return False


def below(folder: str) -> typing.Iterator:
    """
    Yields each path below a folder, contents before their folder, and whether it is a folder.
    Skips mounted folders, because roots can be in a temporary folder.
    """
    if os.path.isdir(folder):
        yield from walk(folder, os.stat(folder).st_dev)


def walk(folder: str, device: int) -> typing.Iterator:
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.stat(follow_symlinks=False).st_dev != device:
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder:
                yield from walk(entry.path, device)
            yield entry.path, is_folder


def has_entries(path: str) -> bool:
    """Returns whether there is more than the heading line. It reads bytes, because reading text takes ten times as long."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 4096).count(b"\n") > 1
    finally:
        os.close(file)
