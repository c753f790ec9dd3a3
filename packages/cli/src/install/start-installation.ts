import { join } from "node:path";
import type { GateLimits, ModelEntry } from "@capstan/core/host";
import { countTokensIfLoaded, createCurrentCatalog, createModelCatalog } from "@capstan/models";
import { searchGroup, type ServerLimits, startServer, type StopSummary } from "@capstan/server";
import { createScriptAuthoring, followLibrary } from "@capstan/scripts";
import { openRequestServers } from "@capstan/connections";
import { webRoot } from "@capstan/web";

import { checkBoundTools, checkSchemas, checkSwitches, requireHostedTools } from "./check-tools.ts";
import type { Configuration, ConfiguredLimits } from "../configuration/configuration.ts";
import { configuredGroups, isOnByDefault } from "./built-in-groups.ts";
import { ownAttachmentTools, ownHostedTools } from "./own-hosted-tools.ts";
import { configuredConnections } from "./configured-connections.ts";
import { createStoredCredentials } from "./stored-connections.ts";
import { openScripts } from "./open-scripts.ts";
import {
  convertDocument,
  documentText,
  indexWords,
  isConvertible,
  rankParts,
  splitText,
  type StoredDocuments,
} from "@capstan/toolkit";
import { openStoredProviders } from "./stored-providers.ts";
import { createToolExecutor } from "./create-tool-executor.ts";
import { packageVersion } from "./package-version.ts";

/** A server that runs in this process. */
export interface RunningInstallation {
  readonly url: string;
  /** Returns a link that pairs the browser that opens it. */
  readonly createPairingLink: () => string;
  /** The default model, and the reason for the choice. */
  readonly model: ModelEntry;
  /** Warnings about settings without effect. */
  readonly warnings: readonly string[];
  /** Resolves with the error if the store fails permanently. */
  readonly failed: Promise<Error>;
  /**
   * Waits up to `graceMs` (default as configured) for the runs to end, and hands back the others
   * for the next start.
   */
  close(options?: { readonly graceMs?: number }): Promise<StopSummary>;
}

/**
 * Creates the models, tools and server of a configuration, and starts the server.
 *
 * @throws an error with `code`: `address_in_use`, `data_directory_locked`, `invalid_configuration`
 */
export async function startInstallation(options: {
  readonly configuration: Configuration;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly log?: (line: string) => void;
  /** Whether a changed settings file waits until a user accepts it. @default never */
  readonly configurationWaits?: () => Promise<boolean>;
}): Promise<RunningInstallation> {
  const { configuration, environment, log, configurationWaits } = options;
  const { model: defaultModel, rules } = configuration;
  const { graceMs } = configuration.limits;
  let stored: StoredDocuments | undefined;
  const providers = openStoredProviders({ configuration, environment });
  const models = createCurrentCatalog(() =>
    createModelCatalog({
      environment: providers.variables(),
      stored: providers.stored(),
      prices: configuration.prices,
      ...(defaultModel !== undefined && { defaultModel }),
    }),
  );
  const shipped = await configuredGroups(configuration, {
    stored: () => stored,
    findModel: (id) => models.find(id),
  });
  const shippedNames = [...shipped.map(({ name }) => name), searchGroup];
  const credentials = createStoredCredentials();
  const connections = await configuredConnections(configuration, {
    reserved: [...shippedNames, "code", "scripts"],
    credentials: credentials.source,
    onScope: credentials.onScope,
    findModel: (id) => models.find(id),
    ...(log && { log }),
  });
  const scripts = await openScripts({
    configuration,
    reserved: [...shippedNames, ...connections.groups.map(({ name }) => name)],
    ...(log && { log }),
  }).catch(async (thrown: unknown) => {
    await connections.close();
    throw thrown;
  });
  const { library } = scripts;
  const requestServers = openRequestServers({
    settings: configuration.requestServers,
    host: { version: packageVersion(), log: log ?? (() => {}) },
  });
  const closeTools = async () => {
    await requestServers.close();
    await connections.close();
    await scripts.close();
  };
  try {
    requireHostedTools(configuration, [...shipped, ...library.groups, ...connections.groups]);
  } catch (thrown) {
    await closeTools();
    throw thrown;
  }
  const authoring = await createScriptAuthoring({
    scripts,
    folders: configuration.scripts.folders,
    deleted: join(configuration.dataDir, "scripts", "deleted"),
  });
  const groups = () => [...shipped, ...library.offered.groups, ...connections.groups];
  const groupDefaults = {
    ...Object.fromEntries(shipped.map(({ name }) => [name, isOnByDefault(name)])),
    ...configuration.groups,
  };
  const toolDefaults = configuration.tools;
  const { allowedHosts, requestHeaders, toolSettings, hostedTools, ...rest } = configuration;
  const { requestServers: _ofRequests, ...settings } = rest;
  const server = await startServer({
    ...settings,
    attachmentTools: {
      ...ownAttachmentTools(shipped, configuration),
      ...configuration.attachmentTools,
    },
    hostedTools: { ...ownHostedTools(shipped, configuration), ...hostedTools },
    version: packageVersion(),
    models,
    groups,
    groupDefaults,
    toolDefaults,
    createExecutor: ({ drafts = false, ...session }) => {
      const executor = createToolExecutor({
        countTokens: countTokensIfLoaded,
        ...session,
        toolSettings,
        rules,
        limits: gateLimits(configuration.limits),
        groups: shipped,
        groupDefaults,
        toolDefaults,
      });
      const isOn = (group: string) => configuration.groups[group] ?? true;
      followLibrary(drafts ? library : library.offered, executor, { isOn });
      followLibrary(connections, executor, { isOn });
      return executor;
    },
    passedHeaders: requestHeaders,
    requestServers,
    scripts: authoring,
    providers: providers.settings(models.renew),
    openConnections: ({ store, sealer }) =>
      credentials.open({
        store,
        sealer,
        connections,
        encryptOthers() {
          const [own, keys] = [scripts.values.encryptAgain(), providers.encryptAgain()];
          return {
            count: own.count + keys.count,
            unreadable: [
              ...own.unreadable.map((name) => `the value ${name} for scripts`),
              ...keys.unreadable.map((id) => `the provider ${id}`),
            ],
          };
        },
        publicUrl: configuration.publicUrl,
        reserved: () => [
          ...shippedNames,
          ...library.groups.map(({ name }) => name),
          "code",
          "scripts",
        ],
        log: log ?? (() => {}),
      }),
    documents: { isConvertible, convert: convertDocument },
    documentReader: { read: documentText, split: splitText, words: indexWords, rank: rankParts },
    onStoredDocuments: (documents) => {
      stored = documents;
    },
    webRoot,
    // Without the list, a server that other machines can reach accepts any name; with an empty
    // one, only its own names.
    ...(allowedHosts.length > 0 && { allowedHosts }),
    limits: serverLimits(configuration.limits),
    ...(log && { log }),
    ...(configurationWaits && { configurationWaits }),
  }).catch(async (thrown: unknown) => {
    await closeTools();
    throw thrown;
  });
  const all = [...shipped, ...library.groups, ...connections.groups];
  return {
    url: server.url,
    createPairingLink: server.createPairingLink,
    model: models.default,
    warnings: [
      ...checkSwitches(configuration, all),
      // The schemas of connections are checked when their tools are read.
      ...checkSchemas([...shipped, ...library.offered.groups]),
      ...checkBoundTools(configuration, all),
    ],
    failed: server.failed,
    async close(options = graceMs === undefined ? {} : { graceMs }) {
      const stopped = await server.close(options);
      await closeTools();
      return stopped;
    },
  };
}

/** Returns the configured limits in the form of the gate. */
function gateLimits({ toolTimeoutMs, approvalHours }: ConfiguredLimits): Partial<GateLimits> {
  return {
    ...(toolTimeoutMs !== undefined && { toolTimeoutMs }),
    ...(approvalHours !== undefined && { approvalMs: approvalHours * 3_600_000 }),
  };
}

/** Returns the configured limits in the form of the server. */
function serverLimits(limits: ConfiguredLimits): Partial<ServerLimits> {
  const {
    toolTimeoutMs: _ofTools,
    approvalHours: _ofPeople,
    graceMs: _ofStopping,
    runWaitDays,
    ...ofTurns
  } = limits;
  return {
    ...ofTurns,
    ...(runWaitDays !== undefined && { suspendedMs: runWaitDays * 24 * 3_600_000 }),
  };
}
