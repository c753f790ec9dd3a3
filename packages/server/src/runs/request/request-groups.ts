import type { ToolExecutor } from "@capstan/core";
import type { RequestServers } from "@capstan/contract";
import type { StoredRequest } from "@capstan/store";

/** Registers the tool groups of the MCP servers that a run's request names, with pinned tools. */
export function registerRequestGroups(
  executor: ToolExecutor,
  { requestServers: pinned = [] }: Pick<StoredRequest, "requestServers">,
  {
    requestServers,
    owner,
  }: { readonly requestServers: RequestServers | undefined; readonly owner: string },
): void {
  for (const server of requestServers === undefined ? [] : pinned) {
    const group = requestServers?.group(server, owner);
    if (group === undefined || executor.gate.registry.group(group.name) !== undefined) continue;
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled(group.name, true);
  }
}
