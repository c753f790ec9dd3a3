import {
  checkedCalls,
  knownCalls,
  modeCalls,
  type Processor,
  refusedCalls,
} from "./system-calls.ts";

/** One instruction of the kernel's classic BPF: code, jumps where true and false, operand. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number];

const load = 0x20;
const andWith = 0x54;
const ifEqual = 0x15;
const ifAtLeast = 0x35;
const ifAnyBit = 0x45;
const answer = 0x06;

// The offsets in `struct seccomp_data`, and the answers, as in linux/seccomp.h.
const numberAt = 0;
const processorAt = 4;
/** The lower half of an argument, on little-endian processors. */
const argumentAt = (index: number): number => 16 + 8 * index;
const allow = 0x7fff0000;
const fail = (errno: number): number => 0x00050000 | errno;

const errno = { notPermitted: 1, notImplemented: 38, noSuchFamily: 97 };
const auditNumber = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
/** This bit marks system calls of the x32 interface, which has its own numbers. */
const x32Bit = 0x40000000;
/** All `CLONE_NEW…` flags but the one for time, which `clone` cannot set. */
const newNamespaces = 0x7e020000;
const family = { unix: 1, ip4: 2, ip6: 10, netlink: 16 };
const netlinkRoute = 0;
/** A program with these bits runs with the rights of its owner or group, for every user. */
const setIdBits = 0o6000;
/** The `ioctl` requests that write into a terminal's input. */
const terminalInput = [0x5412, 0x541c];

/**
 * Returns the system call filter of confined programs. It allows known calls that are not denied,
 * and answers `EPERM` or `ENOSYS` to all others, like a kernel without them, so that libraries use
 * their fallbacks.
 *
 * It allows IP sockets, and netlink sockets that read this network namespace's own addresses. It
 * denies Unix sockets, because they would reach any service that listens in a shown folder (an
 * ssh-agent, a container engine). It denies setuid and setgid bits: in a root, such a program would
 * give other accounts of the machine this user's rights. (Files that are created with these bits
 * lose them when they are written.) It denies `clone3`, which hides its flags from a filter; the C
 * library then uses `clone`.
 *
 * @param options.unixSockets whether Unix sockets are allowed. @default false
 * @returns the instructions in the format of `seccomp(2)`; undefined for a processor without a table
 */
export function seccompFilter(
  processor: string,
  options: { readonly unixSockets?: boolean } = {},
): Buffer | undefined {
  if (processor !== "x64" && processor !== "arm64") return undefined;
  const checked = checkedCalls[processor];
  const families = [family.ip4, family.ip6, ...(options.unixSockets === true ? [family.unix] : [])];
  return encode([
    [load, 0, 0, processorAt],
    [ifEqual, 1, 0, auditNumber[processor]],
    [answer, 0, 0, fail(errno.notImplemented)],
    [load, 0, 0, numberAt],
    ...(processor === "x64" ? refuseIf([ifAtLeast, x32Bit], errno.notImplemented) : []),
    ...refuseIf([ifEqual, checked.clone3], errno.notImplemented),
    ...check(checked.socket, [
      [load, 0, 0, argumentAt(0)],
      ...families.flatMap((one) => answerIf([ifEqual, one], allow)),
      [ifEqual, 0, 3, family.netlink],
      [load, 0, 0, argumentAt(2)],
      ...answerIf([ifEqual, netlinkRoute], allow),
      [answer, 0, 0, fail(errno.noSuchFamily)],
    ]),
    ...check(checked.socketpair, [
      [load, 0, 0, argumentAt(0)],
      ...answerIf([ifEqual, family.unix], allow),
      [answer, 0, 0, fail(errno.noSuchFamily)],
    ]),
    ...check(checked.clone, [
      [load, 0, 0, argumentAt(0)],
      [andWith, 0, 0, newNamespaces],
      ...answerIf([ifEqual, 0], allow),
      [answer, 0, 0, fail(errno.notPermitted)],
    ]),
    ...check(checked.ioctl, [
      [load, 0, 0, argumentAt(1)],
      ...terminalInput.flatMap((request) => refuseIf([ifEqual, request], errno.notPermitted)),
      [answer, 0, 0, allow],
    ]),
    ...check(checked.personality, [
      [load, 0, 0, argumentAt(0)],
      ...[0, 0xffffffff].flatMap((persona) => answerIf([ifEqual, persona], allow)),
      [answer, 0, 0, fail(errno.notPermitted)],
    ]),
    ...modeCalls[processor].flatMap(([number, mode]) =>
      check(number, [
        [load, 0, 0, argumentAt(mode)],
        ...refuseIf([ifAnyBit, setIdBits], errno.notPermitted),
        [answer, 0, 0, allow],
      ]),
    ),
    ...refused(processor).flatMap((number) => refuseIf([ifEqual, number], errno.notPermitted)),
    ...knownCalls[processor].flatMap(([first, last]): readonly Instruction[] => [
      [ifAtLeast, 0, 2, first],
      [ifAtLeast, 1, 0, last + 1],
      [answer, 0, 0, allow],
    ]),
    [answer, 0, 0, fail(errno.notImplemented)],
  ]);
}

/** Returns a filter that denies Unix sockets to a program, if its parent process needs them. */
export function withoutUnixSockets(processor: string): Buffer | undefined {
  if (processor !== "x64" && processor !== "arm64") return undefined;
  return encode([
    [load, 0, 0, processorAt],
    [ifEqual, 0, 5, auditNumber[processor]],
    [load, 0, 0, numberAt],
    [ifEqual, 0, 3, checkedCalls[processor].socket],
    [load, 0, 0, argumentAt(0)],
    ...refuseIf([ifEqual, family.unix], errno.noSuchFamily),
    [answer, 0, 0, allow],
  ]);
}

function refused(processor: Processor): readonly number[] {
  const column = processor === "x64" ? 1 : 2;
  return refusedCalls.map((call) => call[column]).filter((number) => number !== null);
}

type Condition = readonly [code: number, operand: number];

function answerIf([code, operand]: Condition, verdict: number): readonly Instruction[] {
  return [
    [code, 0, 1, operand],
    [answer, 0, 0, verdict],
  ];
}

function refuseIf(condition: Condition, error: number): readonly Instruction[] {
  return answerIf(condition, fail(error));
}

/** Checks the arguments of one system call; the steps end with an answer. */
function check(number: number, steps: readonly Instruction[]): readonly Instruction[] {
  return [[ifEqual, 0, steps.length, number], ...steps];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, whenTrue, whenFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}
