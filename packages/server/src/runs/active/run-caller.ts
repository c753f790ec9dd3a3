import type { Caller } from "@capstan/core";
import { attachmentsOnly } from "@capstan/core/host";
import type { StoredRequest } from "@capstan/store";
import type { RunFiles } from "../files/run-files.ts";

/**
 * Returns the caller of a run's calls: the tools as its request declares them, the request's data,
 * and the files of its conversation. Runs of every API, resumed ones included, use this function.
 */
export function runCaller(
  { toolContext = {} }: Pick<StoredRequest, "toolContext">,
  files: RunFiles,
  hiddenTools: readonly string[] = [],
): Partial<Caller> {
  const { tools = {}, files: _ofTypes, ...request } = toolContext;
  const limited = Object.fromEntries(hiddenTools.map((id) => [id, attachmentsOnly]));
  return { request, tools: { ...tools, ...limited }, files: () => files.toolFiles() };
}
