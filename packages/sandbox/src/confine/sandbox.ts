import type { SandboxLimits } from "../process/sandbox-limits.ts";
import type { DeniedResources } from "@capstan/core";
import type { Duplex, Readable, Writable } from "node:stream";
import type { NetworkAccess } from "../network/network-access.ts";

const mebibyte = 1024 * 1024;

export const defaultLimits: SandboxLimits = {
  memoryBytes: 1024 * mebibyte,
  addressBytes: 4096 * mebibyte,
  processes: 64,
  processors: 1,
  fileBytes: 256 * mebibyte,
};

/** A program and the access that it gets; everything else is denied. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment. PATH, HOME, TMPDIR and LANG have defaults. */
  readonly env?: { readonly [name: string]: string };
  /** Absolute paths that it can read, in addition to the system's programs and libraries. */
  readonly read?: readonly string[];
  /** Absolute paths that it can change. */
  readonly write?: readonly string[];
  /**
   * The server's own folders, shown at another path. They are read-only, except those with `write`.
   */
  readonly shown?: readonly {
    readonly at: string;
    readonly from: string;
    readonly write?: boolean;
  }[];
  /** Paths that stay hidden even if they are inside one of these folders. */
  readonly hidden?: readonly string[];
  /**
   * Paths that it can read but never change, even if they are inside a folder in `write` or do not
   * exist yet.
   */
  readonly protected?: readonly string[];
  /**
   * The part of the network that it reaches, through a proxy that its environment names. Without a
   * sandbox it reaches the whole network. @default false
   */
  readonly network?: NetworkAccess;
  /** Hosts that it does not reach, whatever `network` says. @default none */
  readonly denied?: Pick<DeniedResources, "hosts">;
  /** @default its temporary folder */
  readonly folder?: string;
  readonly limits?: Partial<SandboxLimits>;
  /** Additional pipes: file descriptors 3, 4, … @default 0 */
  readonly channels?: number;
}

/** How a program ended: its exit code, the signal that killed it, or why it did not start. */
export type ProgramEnd =
  | { readonly status: "exited"; readonly code: number }
  | { readonly status: "killed"; readonly signal: string }
  | { readonly status: "not_started"; readonly message: string };

/** A started program: its standard streams, its additional pipes, and its end. */
export interface RunningProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly channels: readonly Duplex[];
  /**
   * Resolves after the program and all its processes have ended and its temporary folders are
   * removed.
   */
  readonly ended: Promise<ProgramEnd>;
  /** Immediately ends the program and every process that it started. */
  kill(): void;
  /** Sets whether this process stays alive until the program ends. Initially it does. */
  hold(held: boolean): void;
}

/** How programs are confined. */
export interface Sandbox {
  /**
   * `none`: an ordinary process with limits. Its callers must require an approval for every call.
   */
  readonly kind: "bubblewrap" | "none";
  /** @throws CapstanError `invalid_sandbox_path`, `invalid_allowed_host`, `network_unavailable` */
  start(program: Program): RunningProgram;
}
