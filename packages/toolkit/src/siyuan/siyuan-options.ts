import type { Clock, PreviewContext } from "@capstan/core";
import { type AskKernel, type KernelOptions, openKernel } from "./kernel/kernel.ts";

/** The SiYuan kernel that the tools use, and where they keep former texts. */
export interface SiyuanToolsOptions extends KernelOptions {
  /** The folder that keeps the former texts of changed blocks, so that changes can be undone. */
  readonly changes: string;
  /** The user's time zone, for daily notes. @default the zone of the server */
  readonly timeZone?: string;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** The kernel, and the options that the tools share. */
export interface SiyuanAccess {
  readonly options: SiyuanToolsOptions;
  readonly ask: (context: Pick<PreviewContext, "signal" | "denied">) => AskKernel;
}

/** Opens the kernel of the options. It is not contacted before the first call. */
export function siyuanAccess(options: SiyuanToolsOptions): SiyuanAccess {
  return { options, ask: openKernel(options) };
}

/** The permission of tools that only read: the configured kernel and its token are the permission. */
export const reads = { effects: "read", permission: { executionPolicy: "auto" } } as const;

/** Calls that change notes run one after another. */
export const writeLocks = { locks: (): readonly string[] => ["siyuan"] };
