import type { PatternEngine } from "../../arguments/pattern-check.ts";
import type { Clock } from "../../base/clock.ts";
import type { GrantBook } from "../../policy/grant.ts";
import type { PolicyRule } from "../../policy/rule.ts";
import type { ToolRegistry, Switches } from "../../tool/registry.ts";
import type { StoreFile } from "../../tool/stored-file.ts";
import type { LruCache } from "../../base/lru-cache.ts";
import type { Caller } from "../../tool/caller.ts";
import type { VariableSystem } from "../../variables/variable-system.ts";
import type { Ledger } from "../record/ledger.ts";
import type { ActiveCall } from "./call-host.ts";
import { nearestNames } from "../../text/nearest-name.ts";
import { shortJson } from "../../json/short-json.ts";
import { CapstanError } from "../../base/errors.ts";
import type { CallTokens } from "../../tool/tool-result.ts";
import type { Tool } from "../../tool/tool.ts";
import type { ToolDefinition } from "../../model/model.ts";
import { definitionForModel } from "../../tool/tool-offer.ts";
import type { CallRecord } from "../record/call-record.ts";

/** The limits of an executor. `Infinity` removes a limit. */
export interface GateLimits {
  /** Characters of a result that the model reads. */
  readonly outputChars: number;
  /**
   * Tokens of a result that the model reads, instead of characters. @default characters are counted
   */
  readonly outputTokens?: number;
  /** Characters that a result never exceeds, even with `limit: 0`. About 64,000 tokens. */
  readonly outputCeilingChars: number;
  readonly toolTimeoutMs: number;
  readonly approvalMs: number;
  readonly callsAtOnce: number;
  readonly subCallDepth: number;
  readonly subCalls: number;
  /**
   * Characters of a call's running output that are stored. A final tool's output is the assistant's
   * answer, so `outputCeilingChars` applies to it.
   */
  readonly writtenChars: number;
  /** Approximate characters of all custom events of a call. Only images make them large. */
  readonly eventChars: number;
}

/** The limits of an executor that sets none. */
export const defaultGateLimits: GateLimits = {
  outputChars: 8_000,
  outputCeilingChars: 256_000,
  toolTimeoutMs: 60_000,
  approvalMs: 24 * 60 * 60 * 1_000,
  callsAtOnce: 8,
  subCallDepth: 4,
  subCalls: 100,
  writtenChars: 65_536,
  eventChars: 4 * 1024 * 1024,
};

/** The state that all stages of a session's calls share. */
export interface Gate {
  readonly registry: ToolRegistry;
  readonly switches: Switches;
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  readonly rules: readonly PolicyRule[];
  /** Returns the current overrides: they may change between calls. */
  readonly overrides: () => readonly PolicyRule[];
  /** The caller of calls that specify none. */
  readonly caller: Caller;
  /** The ledger that stores each call's states. */
  readonly ledger: Ledger | undefined;
  /**
   * The calls that are active, including sub-calls. Two chains may have calls with the same id. It
   * is an array because a set that is repeatedly emptied keeps ended calls in memory until the next
   * full garbage collection.
   */
  readonly activeCalls: ActiveCall[];
  readonly countTokens: (text: string) => number;
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly limits: GateLimits;
  /** Stores the files of results. Without it, results contain the bytes. */
  readonly storeFile: StoreFile | undefined;
  /** The hashes of the files that calls of this session stored most recently, by id. */
  readonly storedFiles: LruCache<string, string>;
  /** Matches `pattern`s of schemas that could hang JavaScript's own engine. */
  readonly patternEngine: PatternEngine | undefined;
}

/** The minimum of each limit. */
const minimums: { readonly [name in keyof Required<GateLimits>]: number } = {
  outputChars: 0,
  outputTokens: 0,
  outputCeilingChars: 1,
  toolTimeoutMs: 1,
  approvalMs: 0,
  callsAtOnce: 1,
  subCallDepth: 0,
  subCalls: 0,
  writtenChars: 0,
  eventChars: 0,
};

/**
 * Returns the gate's limits, with defaults for the missing ones.
 *
 * @throws CapstanError `invalid_limits` with the name of an invalid limit and its allowed values
 */
export function gateLimits(given: Partial<GateLimits> = {}): GateLimits {
  for (const [name, value] of Object.entries<unknown>(given)) {
    if (value === undefined) continue;
    const min = Object.hasOwn(minimums, name) ? minimums[name as keyof typeof minimums] : undefined;
    if (min === undefined) {
      const [nearest] = nearestNames(name, Object.keys(minimums), 1);
      const hint = nearest === undefined ? "Leave it out." : `Did you mean ${nearest}?`;
      throw invalid(`${shortJson(name)} is not an executor limit. ${hint}`);
    }
    const isTime = name.endsWith("Ms");
    const isKind = value === Infinity || isTime || Number.isInteger(value);
    if (!isKind || typeof value !== "number" || !(value >= min))
      throw invalid(
        `limits.${name} must be a ${isTime ? "" : "whole "}number of at least ${min}, or Infinity, not ${shortJson(value)}.`,
      );
  }
  const defined = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaultGateLimits, ...(Object.fromEntries(defined) as Partial<GateLimits>) };
}

function invalid(message: string): CapstanError {
  return new CapstanError({ code: "invalid_limits", message });
}

/** The options of `callTokens`. */
export interface TokensOptions {
  readonly gate: Gate;
  readonly record: CallRecord;
  readonly tool: Tool | undefined;
  readonly finalText: string;
  /** The text before truncation; absent if it was not truncated. */
  readonly whole?: string | undefined;
}

/** Returns the token counts of a call. Counts with the gate's tokenizer. */
export function callTokens({ gate, record, tool, finalText, whole }: TokensOptions): CallTokens {
  const { countTokens } = gate;
  const shown = countTokens(finalText);
  return {
    definition: tool === undefined ? 0 : definitionTokens(countTokens, tool),
    arguments: countTokens(record.argumentsText),
    shown,
    withheld: whole === undefined ? 0 : Math.max(0, countTokens(whole) - shown),
  };
}

type Counter = (text: string) => number;

/**
 * Caches the tokens of definitions by counter, so that each counter counts a definition only once.
 */
const counted = new WeakMap<Tool, WeakMap<Counter, number>>();

function definitionTokens(countTokens: Counter, tool: Tool): number {
  let byCounter = counted.get(tool);
  if (byCounter === undefined) counted.set(tool, (byCounter = new WeakMap()));
  let tokens = byCounter.get(countTokens);
  if (tokens === undefined) {
    tokens = countTokens(jsonOf(definitionForModel(tool)));
    byCounter.set(countTokens, tokens);
  }
  return tokens;
}

/** Returns an empty text if the schema is not JSON: such a tool is not offered to models. */
function jsonOf({ function: definition }: ToolDefinition): string {
  try {
    return JSON.stringify(definition);
  } catch {
    return "";
  }
}

/**
 * Returns the end of a call in ms since the epoch. It is never before the start, even if the clock
 * was set back.
 */
export function endOf(
  { clock }: Gate,
  { startedAt, proposedAt }: Pick<CallRecord, "startedAt" | "proposedAt">,
): number {
  return Math.max(clock.now(), startedAt ?? proposedAt);
}
