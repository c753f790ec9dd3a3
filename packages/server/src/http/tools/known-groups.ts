import type { ToolGroup } from "@capstan/core";
import type { ServerGroup } from "@capstan/store";

interface GroupRequest {
  readonly tools: { readonly servers: readonly ServerGroup[] };
  readonly ignored: readonly string[];
}

/**
 * Leaves out groups that do not exist, for example because a script file was removed. Does so only
 * if the request also names groups that exist. `ignored` names the missing ones as `tools.GROUP`.
 */
export function withKnownGroups<R extends GroupRequest>(
  groups: readonly Pick<ToolGroup, "name">[],
  request: R,
): R {
  const names = new Set(groups.map(({ name }) => name));
  const { servers } = request.tools;
  const known = servers.filter(({ group }) => names.has(group));
  if (known.length === servers.length || known.length === 0) return request;
  const missing = servers.filter(({ group }) => !names.has(group));
  return {
    ...request,
    tools: { ...request.tools, servers: known },
    // The header has no other characters.
    ignored: [
      ...request.ignored,
      ...missing.map(
        ({ group }) => `tools.${encodeURIComponent(group.toWellFormed()).slice(0, 80)}`,
      ),
    ],
  };
}
