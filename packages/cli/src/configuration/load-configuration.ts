import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { defaultApprovalsFrom, isLoopback } from "@capstan/server";
import type { S3Options } from "@capstan/store";
import { searchKeyVariable, type SearchService, searchServices } from "@capstan/toolkit";
import { didYouMean } from "../arguments/parse-options.ts";
import { type OptionValues, textOption } from "../arguments/command.ts";
import { readApiKeys, readDatabaseUrl, readRedisUrl, readSecretKey } from "./secrets.ts";
import { checkSettings } from "./check-settings.ts";
import type { Configuration, ConfigurationOutcome } from "./configuration.ts";
import { readWebhooks } from "./webhook-settings.ts";
import { readConnections } from "./connection-settings.ts";
import { readMediaServices } from "./media-services.ts";
import { emptyLayer, readSettingsFile, type SettingsLayer } from "./read-settings-file.ts";
import { readEnvironmentSettings, readFlagSettings, type GivenSetting } from "./setting-options.ts";
import type { Settings } from "./settings-schema.ts";

export const settingsFileName = "capstan.config.json";

export interface LoadConfigurationOptions {
  /** The working directory, absolute. */
  readonly directory: string;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Flags by name: `config`, `port`, `host`, `data`, `model`. */
  readonly flags: OptionValues;
  /**
   * Replaces the text of the settings file; null means that there is no file. @default the file's
   * text
   */
  readonly settingsText?: string | null;
}

/**
 * Merges the configuration: flags override the environment, the environment overrides the file, and
 * the file overrides the defaults. Paths in the file are relative to the file's folder, other paths
 * to the working directory.
 */
export async function loadConfiguration(
  options: LoadConfigurationOptions,
): Promise<ConfigurationOutcome> {
  const { directory, environment, flags, settingsText } = options;
  const named = textOption(flags, "config");
  const path = resolve(directory, named ?? settingsFileName);
  const shown = named ?? settingsFileName;
  const file =
    settingsText === undefined
      ? await readSettingsFile({ path, shown, required: named !== undefined })
      : settingsText === null
        ? emptyLayer
        : await parseGiven(settingsText, shown);
  const fromEnvironment = readGiven(readEnvironmentSettings(environment));
  const fromFlags = readGiven(readFlagSettings(flags));
  const keys = readApiKeys(environment["CAPSTAN_API_KEYS"]);
  const database = readDatabaseUrl(environment["CAPSTAN_DATABASE_URL"]);
  const redis = readRedisUrl(environment["CAPSTAN_REDIS_URL"], database.status !== "none");
  const secretKey = readSecretKey(environment["CAPSTAN_SECRET_KEY"]);
  const previousKey = readSecretKey(
    environment["CAPSTAN_PREVIOUS_SECRET_KEY"],
    "CAPSTAN_PREVIOUS_SECRET_KEY",
  );
  const media = readMediaServices(file.settings, environment);

  const connections = readConnections(file.settings.connections, {
    environment,
    resolve: (text) => resolve(dirname(path), withHome(text)),
  });

  const webhooks = readWebhooks(file.settings.webhooks, environment);

  const given = { ...fromEnvironment.settings, ...fromFlags.settings };
  const merged = { ...file.settings, ...given };
  const pathsOfFile = (text: string) => resolve(dirname(path), withHome(text));
  // The file cannot set the programs, because they are executed, and the file may be in a folder
  // that the user only inspects.
  const python = environment["CAPSTAN_PYTHON"]?.trim();
  const powershell = environment["CAPSTAN_PWSH"]?.trim();
  // A host can have brackets, as in a URL: [::1].
  const host = (merged.host ?? "127.0.0.1").replace(/^\[(.*)\]$/, "$1");
  const { apiKeys } = keys;
  const ownDir = resolve(directory, given.data ?? ".capstan");
  const configuration: Configuration = {
    port: merged.port ?? 8787,
    host,
    settingsFile: path,
    dataDir:
      given.data === undefined && file.settings.data !== undefined
        ? pathsOfFile(file.settings.data)
        : ownDir,
    acceptedDir: ownDir,
    ...(database.status === "given" && { databaseUrl: database.url }),
    ...(redis.status === "given" && { redisUrl: redis.url }),
    ...(secretKey.status === "given" && { secretKey: secretKey.secret }),
    ...(previousKey.status === "given" && { previousSecretKey: previousKey.secret }),
    ...(merged.files?.store && { fileStore: bucketOf(merged.files.store) }),
    ...(merged.model !== undefined && { model: merged.model }),
    ...(merged.embeddingModel !== undefined && { embeddingModel: merged.embeddingModel }),
    apiKeys,
    approvalsFrom: merged.approvals?.from ?? defaultApprovalsFrom({ host, apiKeys }),
    mcp: mcpOf(merged.mcp),
    requestServers: {
      hosts: merged.requestServers?.hosts ?? [],
      askers: merged.requestServers?.askers ?? false,
    },
    groups: merged.groups ?? {},
    tools: merged.tools ?? {},
    toolSettings: merged.toolSettings ?? {},
    hostedTools: merged.hostedTools ?? {},
    attachmentTools: withoutAbsent(merged.attachmentTools ?? {}),
    requestHeaders: merged.requestHeaders ?? [],
    roots: file.settings.roots?.map(pathsOfFile) ?? [directory],
    code: { write: merged.code?.write ?? false, network: merged.code?.network ?? false },
    scripts: {
      folders: file.settings.scripts?.folders?.map(pathsOfFile) ?? [
        resolve(directory, "capstan-tools"),
      ],
      ...(merged.scripts?.environment && { environment: merged.scripts.environment }),
      ...(python && { python }),
      ...(powershell && { powershell }),
    },
    web: {
      allowPrivateHosts: merged.web?.allowPrivateHosts ?? [],
      ...searchOf(merged.web?.search, environment),
    },
    connections: connections.connections,
    sharing: merged.sharing ?? false,
    webhooks: webhooks.webhooks,
    ...(merged.publicUrl !== undefined && { publicUrl: merged.publicUrl }),
    skills: file.settings.skills?.map(pathsOfFile) ?? [],
    ...(Object.keys(media.services).length > 0 && { media: media.services }),
    ...(merged.knowledge !== undefined && { knowledge: merged.knowledge }),
    ...siyuanOf(merged.siyuan, environment["CAPSTAN_SIYUAN_TOKEN"]),
    rules: merged.rules ?? [],
    agents: merged.agents ?? {},
    places: file.places,
    unknown: file.unknown,
    history: merged.history ?? "log",
    limits: merged.limits ?? {},
    retention: merged.retention ?? {},
    prices: merged.prices ?? {},
    allowedHosts: merged.allowedHosts ?? [],
    allowedOrigins: merged.allowedOrigins ?? [],
  };
  const problems = [
    ...file.problems,
    ...fromEnvironment.problems,
    ...fromFlags.problems,
    ...keys.problems,
    ...media.problems,
    ...connections.problems,
    ...webhooks.problems,
    // An accepted version of the file may lack an agent that a key already names.
    ...(settingsText === undefined && file.problems.length === 0
      ? unknownAgents(configuration)
      : []),
    ...(database.status === "invalid" ? [database.problem] : []),
    ...(redis.status === "invalid" ? [redis.problem] : []),
    ...(secretKey.status === "invalid" ? [secretKey.problem] : []),
    ...(previousKey.status === "invalid" ? [previousKey.problem] : []),
  ];
  // If the host is invalid, do not check the default instead.
  if (problems.length === 0) problems.push(...openDoors(configuration));
  if (problems.length > 0) return { status: "invalid", problems, warnings: file.warnings };
  const warnings = [...file.warnings, ...(await missingRoots(configuration.roots))];
  const { text } = file;
  return { status: "valid", configuration, warnings, ...(text !== undefined && { text }) };
}

/**
 * Converts texts to the type of their setting, and validates them with the same schema as the file.
 */
function readGiven(given: readonly GivenSetting[]): {
  readonly settings: Settings;
  readonly problems: readonly string[];
} {
  const settings: Settings = {};
  const problems: string[] = [];
  for (const { key, source, text } of given) {
    const value = key === "port" && /^\d+$/.test(text) ? Number(text) : text;
    const checked = checkSettings({ [key]: value });
    if (checked.status === "valid") Object.assign(settings, checked.settings);
    else problems.push(...checked.findings.map((finding) => `${source}: ${finding.message}`));
  }
  return { settings, problems };
}

function withoutAbsent<T extends object>(
  object: T,
): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as never;
}

function openDoors({ host, apiKeys }: Configuration): readonly string[] {
  if (isLoopback(host) || apiKeys.length > 0) return [];
  return [
    `host: other machines can reach ${host}, so the server needs keys there. ` +
      'Set CAPSTAN_API_KEYS to name:key pairs, e.g. CAPSTAN_API_KEYS="me:A-LONG-SECRET", ' +
      "or listen on 127.0.0.1.",
  ];
}

function unknownAgents({ apiKeys, agents }: Configuration): readonly string[] {
  return apiKeys.flatMap(({ name, agent }) => {
    if (agent === undefined || Object.hasOwn(agents, agent)) return [];
    const hint = didYouMean(agent, Object.keys(agents));
    return [
      `CAPSTAN_API_KEYS (${name}): agent: there is no agent "${agent}" in the settings file.${hint}`,
    ];
  });
}

/** A missing folder is only a warning, because it may be created later. */
async function missingRoots(roots: readonly string[]): Promise<readonly string[]> {
  const isFolder = (path: string) =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
  const found = await Promise.all(roots.map(isFolder));
  return roots
    .map(
      (root, index) =>
        `roots[${index}]: there is no folder ${root} now; file tools find nothing in it`,
    )
    .filter((_, index) => found[index] === false);
}

/** Expands `~`, as a shell does. */
function withHome(path: string): string {
  return /^~(?=$|[/\\])/.test(path) ? homedir() + path.slice(1) : path;
}

function bucketOf({ kind: _kind, ...options }: S3Options & { readonly kind: "s3" }): S3Options {
  return options;
}

/** A token alone is enough, because the kernel has a default address. */
function siyuanOf(
  settings: Settings["siyuan"],
  secret: string | undefined,
): Pick<Configuration, "siyuan"> {
  const token = secret?.trim() ?? "";
  if (settings?.url === undefined && token === "") return {};
  const { url = "http://127.0.0.1:6806", timeZone } = settings ?? {};
  return {
    siyuan: {
      url,
      ...(token !== "" && { token }),
      ...(timeZone !== undefined && { timeZone }),
    },
  };
}

/** A key alone is enough: its service is used if the settings name none. */
function searchOf(
  settings: NonNullable<Settings["web"]>["search"],
  environment: Readonly<NodeJS.ProcessEnv>,
): Pick<Configuration["web"], "search"> {
  const keyOf = (service: SearchService) => {
    const variable = searchKeyVariable(service);
    return variable === undefined ? undefined : environment[variable]?.trim();
  };
  const { url, engine } = settings ?? {};
  const found = searchServices.find(
    (service) => keyOf(service) && (service !== "google" || engine !== undefined),
  );
  const service = settings?.service ?? (url === undefined ? found : "searxng");
  if (service === undefined) return {};
  const key = keyOf(service);
  return {
    search: {
      service,
      ...(key && { key }),
      ...(url !== undefined && { url }),
      ...(engine !== undefined && { engine }),
    },
  };
}

async function parseGiven(text: string, shown: string): Promise<SettingsLayer> {
  const { parseSettings } = await import("./parse-settings.ts");
  return { ...parseSettings(text, shown), text };
}

function mcpOf({
  clientApproves = "nothing",
  listedTools = 40,
  waitSeconds = 45,
  unstored = [],
}: NonNullable<Settings["mcp"]> = {}): Configuration["mcp"] {
  return { clientApproves, listedTools, waitMs: waitSeconds * 1_000, unstored };
}
