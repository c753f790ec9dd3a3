import type { ServerTool } from "./server-tool.ts";

/** The differences between the tools of a server and the accepted ones. */
export interface ToolChanges {
  readonly added: readonly ServerTool[];
  readonly removed: readonly ServerTool[];
  readonly changed: readonly { readonly from: ServerTool; readonly to: ServerTool }[];
}

/** Compares the accepted tools with the server's current ones. */
export function compareTools(
  accepted: readonly ServerTool[],
  listed: readonly ServerTool[],
): ToolChanges {
  const before = new Map(accepted.map((tool) => [tool.name, tool]));
  const now = new Set(listed.map(({ name }) => name));
  return {
    added: listed.filter(({ name }) => !before.has(name)),
    removed: accepted.filter(({ name }) => !now.has(name)),
    changed: listed.flatMap((to) => {
      const from = before.get(to.name);
      return from === undefined || from.digest === to.digest ? [] : [{ from, to }];
    }),
  };
}

/** Returns whether a user must accept the changes. Removed tools need no acceptance. */
export function needsAcceptance({ added, changed }: ToolChanges): boolean {
  return added.length + changed.length > 0;
}
