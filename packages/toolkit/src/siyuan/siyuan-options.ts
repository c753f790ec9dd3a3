import type { Clock, PreviewContext } from "@capstan/core";
import { type AskKernel, type KernelOptions, openKernel } from "./kernel/kernel.ts";

/** Options of the SiYuan tools. */
export interface SiyuanToolsOptions extends Omit<KernelOptions, "url"> {
  /**
   * The address of the kernel. Without one, the tools are listed with a setup hint, and not offered
   * to models.
   *
   * @example "http://127.0.0.1:6806"
   */
  readonly url?: string;
  /** The folder that stores the former texts of changed blocks for undo. */
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

/** Creates the client of the kernel. It sends no request before the first call. */
export function siyuanAccess(options: SiyuanToolsOptions): SiyuanAccess {
  // Without an address, the tools are not offered, and the gate rejects their calls.
  return { options, ask: openKernel({ ...options, url: options.url ?? "http://127.0.0.1:6806" }) };
}

/**
 * The permission of read-only tools: calls need no approval, because the administrator configured
 * the kernel and its token.
 */
export const reads = { effects: "read", permission: { executionPolicy: "auto" } } as const;

/** The errors that each tool can return because of the kernel. */
export const kernelErrors = {
  unreachable: "SiYuan is not running at the configured address",
  unauthorized: "the token is wrong",
  forbidden: "the address is that of the publishing service",
  indexing: "SiYuan builds its index; try again",
  read_only: "SiYuan is in read-only mode",
  unexpected_reply: "the kernel sent an unexpected reply, or the request failed in it",
} as const;

/** Calls that change notes run one after another. */
export const writeLocks = { locks: (): readonly string[] => ["siyuan"] };
