import type { PatternEngine } from "../../arguments/pattern-check.ts";
import type { Clock } from "../../base/clock.ts";
import type { GrantBook } from "../../policy/grant-book.ts";
import type { PolicyRule } from "../../policy/rule.ts";
import type { ToolRegistry, Switches } from "../../tool/registry.ts";
import type { Caller } from "../../tool/caller.ts";
import type { VariableSystem } from "../../variables/variable-system.ts";
import type { Ledger } from "../record/ledger.ts";
import type { ActiveCall } from "./call-host.ts";

/** Limits of the gate, with their defaults. */
export interface GateLimits {
  /** Characters of a result shown to the model. */
  readonly outputChars: number;
  /** Tokens of a result shown to the model, instead of characters. @default characters are counted */
  readonly outputTokens?: number;
  /** What even `limit: 0` does not pass. About 64,000 tokens. */
  readonly outputCeilingChars: number;
  readonly toolTimeoutMs: number;
  readonly approvalMs: number;
  readonly callsAtOnce: number;
  readonly subCallDepth: number;
  readonly subCalls: number;
  /** Characters of a call's running output that are kept. A final tool's are an answer: `outputCeilingChars`. */
  readonly spokenChars: number;
  /** Characters of all events of a call's own, about; pictures are the large ones. */
  readonly eventChars: number;
}

export const defaultGateLimits: GateLimits = {
  outputChars: 8_000,
  outputCeilingChars: 256_000,
  toolTimeoutMs: 60_000,
  approvalMs: 24 * 60 * 60 * 1_000,
  callsAtOnce: 8,
  subCallDepth: 4,
  subCalls: 100,
  spokenChars: 65_536,
  eventChars: 4 * 1024 * 1024,
};

/** All that the stages of a call share: one session's gate. */
export interface Gate {
  readonly registry: ToolRegistry;
  readonly switches: Switches;
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  readonly rules: readonly PolicyRule[];
  /** Those of now: they may change between calls. */
  readonly overrides: () => readonly PolicyRule[];
  /** On whose behalf calls are made, unless one says otherwise. */
  readonly caller: Caller;
  /** Where each call's states are written. */
  readonly ledger: Ledger | undefined;
  /** The calls that have not ended, sub-calls included. Two chains may have calls of one id. */
  readonly activeCalls: Set<ActiveCall>;
  readonly countTokens: (text: string) => number;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly limits: GateLimits;
  /** For `pattern`s of schemas that JavaScript's own engine could hang on. */
  readonly patternEngine: PatternEngine | undefined;
}
