import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { noSandbox, python } from "../testing/run-program.ts";
import { seccompFilter, withoutUnixSockets } from "./seccomp-filter.ts";
import { type Processor, refusedCalls } from "./system-calls.ts";

const processors = ["x64", "arm64"] as const;
const auditNumber = { x64: 0xc000003e, arm64: 0xc00000b7 };
const numbers = {
  x64: { socket: 41, socketpair: 53, clone: 56, clone3: 435, ioctl: 16, personality: 135 },
  arm64: { socket: 198, socketpair: 199, clone: 220, clone3: 435, ioctl: 29, personality: 92 },
};

interface SystemCall {
  readonly number: number;
  readonly args?: readonly number[];
  readonly audit?: number;
}

/** Returns the kernel's answer to a system call: 0 if it is allowed, otherwise the error number. */
function answerOf(program: Buffer, processor: Processor, call: SystemCall): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.audit ?? auditNumber[processor], 4);
  for (const [index, arg] of (call.args ?? []).entries())
    data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(arg)), 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8);
    const [whenTrue, whenFalse] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    const operand = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0;
    else if (code === 0x15) at += accumulator === operand ? whenTrue : whenFalse;
    else if (code === 0x35) at += accumulator >= operand ? whenTrue : whenFalse;
    else if (code === 0x45) at += (accumulator & operand) !== 0 ? whenTrue : whenFalse;
    else if (code === 0x06) {
      if (operand === 0x7fff0000) return 0;
      assert.equal(operand & 0xffff0000, 0x00050000);
      return operand & 0xffff;
    } else assert.fail(`code ${code}`);
  }
  assert.fail("the program ends without an answer");
}

const [notPermitted, notImplemented, noSuchFamily] = [1, 38, 97];

for (const processor of processors) {
  const filter = seccompFilter(processor) ?? Buffer.alloc(0);
  const answer = (number: number, args: readonly number[] = [], program = filter) =>
    answerOf(program, processor, { number, args });
  const { socket, socketpair, clone, clone3, ioctl, personality } = numbers[processor];

  test(`${processor}: listed calls are not permitted, and unknown calls do not exist`, () => {
    for (const [name, x64, arm64] of refusedCalls) {
      const number = processor === "x64" ? x64 : arm64;
      if (number !== null) assert.notEqual(answer(number), 0, name);
    }
    for (const number of [clone3, 350, 453, 457, 463, 500, 999, 2 ** 31])
      assert.equal(answer(number), notImplemented, String(number));
    const io = processor === "x64" ? [0, 1, 59, 231, 257, 318] : [63, 64, 221, 94, 56, 278];
    for (const number of io) assert.equal(answer(number), 0, String(number));
  });

  test(`${processor}: only IP sockets, local socket pairs and netlink address queries are allowed`, () => {
    const [unix, ip4, ip6, netlink, vsock, packet, alg] = [1, 2, 10, 16, 40, 17, 38];
    for (const family of [ip4, ip6]) assert.equal(answer(socket, [family, 1, 0]), 0);
    for (const family of [unix, vsock, packet, alg, 0, 0xffff])
      assert.equal(answer(socket, [family, 1, 0]), noSuchFamily, String(family));
    assert.equal(answer(socket, [netlink, 3, 0]), 0);
    for (const protocol of [9, 15, 16])
      assert.equal(answer(socket, [netlink, 3, protocol]), noSuchFamily);
    assert.equal(answer(socketpair, [unix, 1, 0]), 0);
    assert.equal(answer(socketpair, [netlink, 1, 0]), noSuchFamily);
    const open = seccompFilter(processor, { unixSockets: true });
    assert.equal(answer(socket, [unix, 1, 0], open), 0);
    assert.equal(answer(socket, [vsock, 1, 0], open), noSuchFamily);
  });

  test(`${processor}: allows processes and threads, but no namespaces and no terminal input`, () => {
    const [thread, newUser, newNetwork] = [0x3d0f00, 0x10000000, 0x40000000];
    assert.equal(answer(clone, [17]), 0);
    assert.equal(answer(clone, [thread]), 0);
    for (const flag of [newUser, newNetwork, newUser | 17])
      assert.equal(answer(clone, [flag]), notPermitted);
    assert.equal(answer(ioctl, [0, 0x5401]), 0);
    for (const request of [0x5412, 0x541c]) assert.equal(answer(ioctl, [0, request]), notPermitted);
    assert.equal(answer(personality, [0xffffffff]), 0);
    assert.equal(answer(personality, [0x0040000]), notPermitted);
  });

  test(`${processor}: allows file modes, but no setuid or setgid bits`, () => {
    // Numbers with the index of the mode: chmod, fchmod, fchmodat, fchmodat2.
    const modeIn =
      processor === "x64" ? { 90: 1, 91: 1, 268: 2, 452: 2 } : { 52: 1, 53: 2, 452: 2 };
    for (const [number, index] of Object.entries(modeIn)) {
      const answerTo = (mode: number) =>
        answer(Number(number), [...Array.from({ length: index }, () => 0), mode]);
      for (const mode of [0o755, 0o1777, 0]) assert.equal(answerTo(mode), 0, number);
      for (const mode of [0o4755, 0o2755, 0o6000])
        assert.equal(answerTo(mode), notPermitted, number);
    }
  });

  test(`${processor}: system calls of the processor's other interfaces do not exist`, () => {
    const other = { x64: 0x40000003, arm64: 0x40000028 }[processor];
    assert.equal(answerOf(filter, processor, { number: 1, audit: other }), notImplemented);
    if (processor === "x64") assert.equal(answer(0x40000000 | 1), notImplemented);
  });

  test(`${processor}: the second filter denies only Unix sockets`, () => {
    const second = withoutUnixSockets(processor) ?? Buffer.alloc(0);
    assert.equal(answer(socket, [1, 1, 0], second), noSuchFamily);
    for (const [number, args] of [
      [socket, [2, 1, 0]],
      [socketpair, [1]],
      [0, []],
    ] as const)
      assert.equal(answer(number, args, second), 0);
    assert.equal(answerOf(second, processor, { number: socket, args: [1], audit: 3 }), 0);
  });
}

test("a processor without a table has no filter", () => {
  assert.equal(seccompFilter("riscv64"), undefined);
  assert.equal(withoutUnixSockets("riscv64"), undefined);
});

/** The system headers that contain the numbers. */
const headers = {
  x64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
  arm64: "/usr/include/asm-generic/unistd.h",
};

// Contract: sandbox-10
test(
  "the numbers match the kernel's headers",
  { skip: Object.values(headers).every((path) => existsSync(path)) ? false : "no kernel headers" },
  () => {
    for (const processor of processors) {
      const text = readFileSync(headers[processor], "utf8");
      const inHeader = new Map(
        [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm)].map(
          ([, name, number]) => [name, Number(number)] as const,
        ),
      );
      for (const [name, x64, arm64] of refusedCalls) {
        const number = processor === "x64" ? x64 : arm64;
        if (number !== null) assert.equal(inHeader.get(name), number, `${processor} ${name}`);
      }
      for (const [name, number] of Object.entries(numbers[processor]))
        assert.equal(inHeader.get(name), number, `${processor} ${name}`);
    }
  },
);

const noPython = existsSync("/usr/bin/python3") ? false : "no /usr/bin/python3";

describe("a confined program", { skip: noSandbox || noPython }, () => {
  const attempts = `
import ctypes, errno, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(name, number, *args):
    ctypes.set_errno(0)
    result = libc.syscall(number, *args)
    print(name, "ran" if result >= 0 else errno.errorcode[ctypes.get_errno()])
def open_socket(name, *args):
    try:
        socket.socket(*args).close(); print(name, "ran")
    except OSError as error: print(name, errno.errorcode[error.errno])
`;
  const calls =
    process.arch === "arm64" ? [219, 217, 280, 241, 117, 97] : [250, 248, 321, 298, 101, 272];
  const [keyctl, addKey, bpf, perf, ptrace, unshare] = calls;

  // Contract: sandbox-10
  test("reaches no keys, rings, hypervisor or other process through the kernel", async () => {
    const { out } = await python(`${attempts}
call("keyctl", ${keyctl}, 0, -3, 1)
call("add_key", ${addKey}, b"user", b"x", b"y", 1, -3)
call("io_uring_setup", 425, 8, ctypes.create_string_buffer(120))
call("bpf", ${bpf}, 0, None, 0)
call("perf_event_open", ${perf}, None, 0, -1, -1, 0)
call("ptrace", ${ptrace}, 0, 0, 0, 0)
call("unshare", ${unshare}, 0x10000000)
open_socket("vsock", 40, socket.SOCK_STREAM)
open_socket("alg", 38, socket.SOCK_SEQPACKET)
open_socket("unix", socket.AF_UNIX)
open_socket("tcp", socket.AF_INET)
socket.socketpair()
`);
    assert.deepEqual(out.trim().split("\n"), [
      "keyctl EPERM",
      "add_key EPERM",
      "io_uring_setup EPERM",
      "bpf EPERM",
      "perf_event_open EPERM",
      "ptrace EPERM",
      "unshare EPERM",
      "vsock EAFNOSUPPORT",
      "alg EAFNOSUPPORT",
      "unix EAFNOSUPPORT",
      "tcp ran",
    ]);
  });

  test("opens no Unix sockets with network access either", async () => {
    const { out } = await python(
      `${attempts}
open_socket("unix", socket.AF_UNIX)
open_socket("vsock", 40, socket.SOCK_STREAM)
open_socket("tcp", socket.AF_INET)`,
      { network: true },
    );
    assert.equal(out, "unix EAFNOSUPPORT\nvsock EAFNOSUPPORT\ntcp ran\n");
  });

  test("has threads, processes, pools, shared memory and subprocesses as without the filter", async () => {
    const { out, err } = await python(`
import concurrent.futures as futures, multiprocessing as mp, subprocess, threading, asyncio, mmap, select
def square(n): return n * n
with futures.ThreadPoolExecutor(4) as pool: print(sum(pool.map(square, range(10))))
with mp.get_context("fork").Pool(2) as pool: print(sum(pool.map(square, range(10))))
print(subprocess.run(["echo", "sub"], capture_output=True, text=True).stdout.strip())
async def main():
    process = await asyncio.create_subprocess_exec("echo", "async", stdout=-1)
    return (await process.communicate())[0].decode().strip()
print(asyncio.run(main()))
mmap.mmap(-1, 4096); select.epoll(); mp.Value("i", 3)
`);
    assert.equal(out, "285\n285\nsub\nasync\n", err);
  });
});
