import type { ToolFilter, ServerGroup } from "@capstan/store";
import type { RegisteredTool } from "@capstan/core";
import type { RequireApproval as ToolApproval } from "@capstan/core/host";

/** Whether a request offers a tool. */
export function offersTool(
  servers: readonly ServerGroup[],
  registered: RegisteredTool | undefined,
): boolean {
  if (registered === undefined) return false;
  const server = servers.find(({ group }) => group === registered.group.name);
  // Tools that come with any other are in a group that no request names.
  return server?.allowedTools === undefined || matches(server.allowedTools, registered);
}

/** What a request says of asking before a tool runs; undefined where it says nothing. */
export function requireApprovalFor(
  servers: readonly ServerGroup[],
  registered: RegisteredTool | undefined,
): ToolApproval | undefined {
  if (registered === undefined) return undefined;
  const wish = servers.find(({ group }) => group === registered.group.name)?.requireApproval;
  if (wish === undefined || typeof wish === "string") return wish;
  if (wish.always !== undefined && matches(wish.always, registered)) return "always";
  return wish.never !== undefined && matches(wish.never, registered) ? "never" : undefined;
}

function matches({ toolNames, readOnly }: ToolFilter, { name, tool }: RegisteredTool): boolean {
  if (toolNames !== undefined && !toolNames.includes(name)) return false;
  return readOnly === undefined || readOnly === (tool.effects === "read");
}
