"""Descriptors that a script opened while it was imported: each call inherits them and shares them with the next call."""

import fcntl
import os
import stat
import typing

FIRST = 5  # lower ones are the worker's own


class Inherited:
    """Records their state after the import."""

    def __init__(self) -> None:
        self.files: dict = {}
        # The content of a pipe, a socket or shared memory cannot be restored.
        self.can_be_restored = not shares_memory()
        for descriptor in opened():
            mode = os.fstat(descriptor).st_mode
            try:
                if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
                    self.files[descriptor] = left_at(descriptor)
                elif not stat.S_ISCHR(mode):
                    self.can_be_restored = False
            except OSError:  # for example opened with O_PATH
                self.can_be_restored = False

    def restore(self) -> bool:
        """Restores the positions of files. Returns False if anything else may have changed."""
        if not self.can_be_restored:
            return False
        for descriptor, (position, flags, content) in self.files.items():
            os.lseek(descriptor, position, os.SEEK_SET)
            fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)
            if left_at(descriptor)[2] != content:
                return False
        return True


def opened() -> typing.Iterator:
    for name in os.listdir("/proc/self/fd"):
        descriptor = int(name)
        try:
            os.fstat(descriptor)
        except OSError:
            continue  # the descriptor of the listing itself
        if descriptor >= FIRST:
            yield descriptor


def left_at(descriptor: int) -> tuple:
    """Returns the position of a file, and the content of a file without a name."""
    status = os.fstat(descriptor)
    content = identity(status) if status.st_nlink == 0 else None
    return os.lseek(descriptor, 0, os.SEEK_CUR), fcntl.fcntl(descriptor, fcntl.F_GETFL), content


def shares_memory() -> bool:
    with open("/proc/self/maps", "rb") as maps:
        return any(line.split(None, 2)[1][1:4:2] == b"ws" for line in maps)


def identity(status: os.stat_result) -> tuple:
    """Returns a value that changes if the file is replaced or written to."""
    return (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
