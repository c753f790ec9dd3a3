import { copyJson } from "../../json/json-value.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { ToolArgs } from "../../base/json.ts";

/** What a call excludes while it runs. */
export interface LockRequest {
  /** Everything: it runs alone. */
  readonly exclusive: boolean;
  /** Every other call with one of these keys. */
  readonly keys: readonly string[];
  /** More than so many calls with this key. */
  readonly cap?: { readonly key: string; readonly limit: number };
}

const noKeys: readonly string[] = [];
const reads: LockRequest = { exclusive: false, keys: noKeys };

/** What a call excludes, from what its tool declares. Locks that throw claim the whole group. */
export function lockRequestOf({ tool, group, id }: RegisteredTool, args: ToolArgs): LockRequest {
  const { effects = "write", maxConcurrent } = tool;
  if (effects === "read" && maxConcurrent === undefined) return reads;
  const cap =
    maxConcurrent === undefined ? {} : { cap: { key: `tool:${id}`, limit: maxConcurrent } };
  if (effects === "read") return { ...reads, ...cap };
  if (effects === "exclusive") return { exclusive: true, keys: noKeys, ...cap };
  const whole = [`group:${group.name}`];
  if (effects === "write") return { exclusive: false, keys: whole, ...cap };
  try {
    const keys = new Set(effects.locks(copyJson(args)).map((key) => `lock:${key}`));
    return { exclusive: false, keys: [...keys], ...cap };
  } catch {
    return { exclusive: false, keys: whole, ...cap };
  }
}
