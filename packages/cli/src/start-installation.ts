import type { ModelEntry } from "@capstan/core";
import { countTokens, createModelCatalog } from "@capstan/models";
import { startServer } from "@capstan/server";
import { webRoot } from "@capstan/web";
import { builtInGroups } from "./built-in-groups.ts";
import { checkSwitches } from "./configuration/check-switches.ts";
import type { Configuration } from "./configuration/configuration.ts";
import { createToolExecutor } from "./create-tool-executor.ts";
import { packageVersion } from "./package-version.ts";

/** A server that runs in this process. */
export interface RunningInstallation {
  readonly url: string;
  /** The model that answers where nobody chose, and why. */
  readonly model: ModelEntry;
  /** Settings that change nothing. */
  readonly warnings: readonly string[];
  /** Finishes or parks what runs. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Puts models, tools and server together as the configuration says, and starts them.
 *
 * @throws an error with `code`: `address_in_use`, `data_directory_locked`
 */
export async function startInstallation(options: {
  readonly configuration: Configuration;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly log?: (line: string) => void;
}): Promise<RunningInstallation> {
  const { configuration, environment, log } = options;
  const { model: defaultModel, rules, limits } = configuration;
  const groups = builtInGroups({
    roots: configuration.roots,
    deny: [configuration.dataDir],
    allowPrivateHosts: configuration.web.allowPrivateHosts,
  });
  const groupDefaults = {
    ...Object.fromEntries(groups.map((group) => [group.name, true])),
    ...configuration.groups,
  };
  const toolDefaults = configuration.tools;
  const models = createModelCatalog({
    environment,
    ...(defaultModel !== undefined && { defaultModel }),
  });
  const server = await startServer({
    host: configuration.host,
    port: configuration.port,
    dataDir: configuration.dataDir,
    version: packageVersion(),
    apiKeys: configuration.apiKeys,
    models,
    groups,
    groupDefaults,
    toolDefaults,
    createExecutor: (session) =>
      createToolExecutor({ rules, countTokens, ...session, groups, groupDefaults, toolDefaults }),
    webRoot,
    allowedHosts: configuration.allowedHosts,
    allowedOrigins: configuration.allowedOrigins,
    limits,
    countTokens,
    ...(log && { log }),
  });
  return {
    url: server.url,
    model: models.default,
    warnings: checkSwitches(configuration, groups),
    close: (closing) => server.close(closing),
  };
}
