import type { RunState } from "./run-state.ts";

/** A tool in the result of `SearchTools`. */
const foundLine = /^- ([\w-]{1,64}) \(([\w-]{1,64})\): /gm;

/**
 * Returns the tools that the model found with `SearchTools` in these runs, as `group.Tool`. The
 * model's next requests contain their definitions.
 */
export function foundTools(runs: readonly Pick<RunState, "calls">[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { calls } of runs)
    for (const { name, result, status, parentCallId } of Object.values(calls)) {
      if (name !== "SearchTools" || status !== "success" || parentCallId !== null) continue;
      for (const [, tool = "", group = ""] of (result?.finalText ?? "").matchAll(foundLine))
        found.add(`${group}.${tool}`);
    }
  return found;
}
