import { join } from "node:path";
import { CapstanError } from "@capstan/core";
import {
  type Connections,
  type CredentialSource,
  type FindModel,
  openConnections,
} from "@capstan/connections";
import type { Configuration } from "../configuration/configuration.ts";
import { packageVersion } from "./package-version.ts";
import { processSandbox } from "./process-sandbox.ts";
import { protectedPaths } from "./protected-paths.ts";

/**
 * Opens the enabled MCP servers of the configuration, without starting or reaching any.
 *
 * @param options.reserved ids of other groups
 * @param options.watch whether to list new servers and to watch for accepted definitions. @default
 * true
 * @throws CapstanError `invalid_configuration` if a connection has the name of a group
 */
export async function configuredConnections(
  configuration: Pick<
    Configuration,
    "connections" | "dataDir" | "acceptedDir" | "roots" | "scripts" | "settingsFile" | "skills"
  >,
  options: {
    readonly reserved: readonly string[];
    readonly watch?: boolean;
    readonly log?: (line: string) => void;
    /** The stored credentials. @default none */
    readonly credentials?: CredentialSource;
    /** Finds the models that servers can ask. @default none */
    readonly findModel?: FindModel;
    readonly onScope?: (connection: string, owner: string, scope: string) => Promise<void>;
  },
): Promise<Connections> {
  const { reserved, watch = true, log = () => {}, credentials, findModel, onScope } = options;
  const connections = configuration.connections.filter(({ on }) => on);
  const taken = connections.find(({ connection: { name } }) => reserved.includes(name));
  if (taken !== undefined)
    throw new CapstanError({
      code: "invalid_configuration",
      message: `connections.${taken.connection.name}: there is already a tool group of this name. Choose another.`,
    });
  // Users can add programs later, while the server runs.
  const { sandbox, problem } =
    connections.length === 0 && credentials === undefined
      ? { sandbox: undefined, problem: undefined }
      : await processSandbox();
  return openConnections({
    connections: connections.map(({ connection }) => connection),
    folder: join(configuration.dataDir, "connections"),
    host: {
      version: packageVersion(),
      programs: {
        ...(sandbox && { sandbox }),
        ...(problem !== undefined && { sandboxFix: problem.fix }),
        hidden: [configuration.dataDir, configuration.acceptedDir],
        protected: protectedPaths(configuration),
      },
      log,
      ...(credentials && { credentials }),
      ...(findModel && { findModel }),
      ...(onScope && { onScope }),
    },
    watch,
  });
}
