import type { RequireApproval } from "@capstan/core";
import type { OfferedGroup, RequireApprovalFilter } from "./run-request.ts";

/** Whether a request offers a tool, by `group.Tool`. */
export function offersTool(groups: readonly OfferedGroup[], toolId: string): boolean {
  const { group, name } = partsOf(toolId);
  const offered = groups.find((candidate) => candidate.group === group);
  // Tools that come with any other are in a group that no request names.
  return offered === undefined || offered.allowedTools === null || offered.allowedTools.includes(name);
}

/** What a request says of asking before a tool runs; undefined where it says nothing. */
export function requireApprovalFor(groups: readonly OfferedGroup[], toolId: string): RequireApproval | undefined {
  const { group, name } = partsOf(toolId);
  const filter = groups.find((candidate) => candidate.group === group)?.requireApproval;
  return filter === null || filter === undefined ? undefined : filtered(filter, name);
}

function filtered(filter: RequireApprovalFilter, name: string): RequireApproval {
  if (typeof filter === "string") return filter;
  if (filter.always?.includes(name) === true) return "always";
  return filter.never?.includes(name) === true ? "never" : "always";
}

function partsOf(toolId: string): { readonly group: string; readonly name: string } {
  const dot = toolId.indexOf(".");
  return { group: toolId.slice(0, dot), name: toolId.slice(dot + 1) };
}
