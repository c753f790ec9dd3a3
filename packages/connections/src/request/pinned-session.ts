import type { PinnedServer } from "@capstan/contract";
import type { DefinitionFiles } from "../accepted/definition-files.ts";
import { parseStoredTool, type StoredConnection } from "../accepted/stored-connection.ts";
import { type HttpConnection, identityOf } from "../definition/connection.ts";
import type { ServerTool } from "../definition/server-tool.ts";

/** Returns the connection to a server that a request names. */
export function requestConnection(
  { group, url }: Pick<PinnedServer, "group" | "url">,
  headers: HttpConnection["headers"],
): HttpConnection {
  return { type: "http", name: group, url, headers };
}

/** Returns the pinned tools in the form of stored definitions, for the group of a run. */
export function pinnedDefinitions(server: PinnedServer): StoredConnection {
  const tools = server.tools.flatMap(({ definition }): readonly ServerTool[] => {
    const tool = parseStoredTool(definition);
    return tool === undefined ? [] : [tool];
  });
  return {
    identity: identityOf(requestConnection(server, {})),
    accepted: tools,
    listed: tools,
    notes: [],
    features: { resources: false, prompts: false },
    era: "legacy",
    listedAt: 0,
  };
}

/** Definitions in memory: the run stores those that it uses. */
export function memoryDefinitions(): DefinitionFiles<StoredConnection> {
  let kept: StoredConnection | undefined;
  return {
    read: () => kept,
    write: (_name, stored) => {
      kept = stored;
    },
    remove: () => {
      kept = undefined;
    },
    watch: () => {},
    close: () => {},
  };
}
