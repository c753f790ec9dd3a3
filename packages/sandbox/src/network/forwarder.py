"""The first process of a sandbox that may reach the network. It forwards connections to its port to the
proxy's Unix socket, and ends when its command ends. The command's processes cannot end it or read its
memory. It waits for orphaned processes that end. The command itself cannot use Unix sockets.

Arguments: the port, the folder of the socket and of the command's filter, and the command.
"""

import ctypes
import os
import signal
import socket
import sys

PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
CHUNK = 1 << 16


def main() -> None:
    port, folder, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=128)
    pid = os.fork()
    if pid == 0:
        close_unix_sockets(f"{folder}/filter")
        # Python ignores these signals, and the command would inherit that.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", file=sys.stderr)
            os._exit(127)
    let_go(listener)
    import asyncio  # while the command starts

    asyncio.run(serve(listener, f"{folder}/proxy", pid))


class Filter(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def close_unix_sockets(path: str) -> None:
    with open(path, "rb") as file:
        instructions = file.read()
    if not instructions:
        return  # There is no filter for this processor.
    libc = ctypes.CDLL(None, use_errno=True)
    program = ctypes.byref(Filter(len(instructions) // 8, instructions))
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) != 0:
        sys.exit(f"The filter of system calls was refused: {os.strerror(ctypes.get_errno())}")


def let_go(listener: socket.socket) -> None:
    """Closes all other descriptors, because only the command may hold them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != listener.fileno():
            try:
                os.close(int(name))
            except OSError:
                pass  # the descriptor of the listing itself


async def serve(listener: socket.socket, path: str, command: int) -> None:
    import asyncio

    def wait() -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                os._exit(1)
            if pid == 0:
                return
            if pid == command:
                os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

    async def connected(reader, writer) -> None:
        try:
            inner, outer = await asyncio.open_unix_connection(path)
        except OSError:
            writer.close()
            return
        await asyncio.gather(copy(reader, outer), copy(inner, writer))
        for one in (outer, writer):
            one.close()

    asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, wait)
    wait()
    server = await asyncio.start_server(connected, sock=listener, limit=CHUNK)
    await server.serve_forever()


async def copy(reader, writer) -> None:
    try:
        while True:
            data = await reader.read(CHUNK)
            if not data:
                break
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()


main()
