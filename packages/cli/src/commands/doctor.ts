import { createClient } from "@capstan/client";
import type { ConnectionView } from "@capstan/contract";
import type { ToolGroup } from "@capstan/core";
import {
  findProgram,
  findPythonInstallation,
  findSandbox,
  installCommand,
  type Sandbox,
} from "@capstan/sandbox";
import { findPowerShell, findPython, pipProblem, type StoredValue } from "@capstan/scripts";
import { inspectRedis, openProgramKeys } from "@capstan/server";
import { findCjkFont } from "@capstan/toolkit";
import type { Inspection } from "@capstan/store";
import { inspectPostgres } from "@capstan/store/postgres";
import { type Invocation, printJson } from "../arguments/command.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { describeApprovers } from "../configuration/describe-approvers.ts";
import {
  type ConfigurationReview,
  reviewConfiguration,
} from "../configuration/accepted-configuration.ts";
import { type ReadUrl, readDatabaseUrl, readRedisUrl } from "../configuration/secrets.ts";
import { configuredGroups } from "../install/built-in-groups.ts";
import { configuredValues } from "../install/open-scripts.ts";
import { visibleText } from "@capstan/core/text";
import { openStoredProviders } from "../install/stored-providers.ts";
import { configuredConnections } from "../install/configured-connections.ts";
import { tryScript } from "../install/try-script.ts";
import { formatCount, styleFor } from "../terminal/style.ts";
import { findHolder, readTerminalKey } from "./shared/open-connection.ts";
import { renderChecks, type SystemCheck } from "./shared/render-checks.ts";
import { commandTexts } from "../texts/commands.ts";
import { connectionTexts } from "../texts/connections.ts";

const texts = commandTexts.doctor;

type FoundSandbox = Awaited<ReturnType<typeof findSandbox>>;

/** Prints the programs and services that Capstan can use, and those that are missing. */
export async function runDoctor({ values }: Invocation): Promise<number> {
  const checks = [...(await checkSystem()), ...(await checkConfiguration())];
  if (values["json"] === true) printJson(checks);
  else process.stdout.write(renderChecks(checks, styleFor(process.stdout)));
  return 0;
}

/** Checks the programs of this machine, and the services that the environment names. */
export async function checkSystem(): Promise<readonly SystemCheck[]> {
  const found = await findSandbox();
  return [
    checkSandbox(found),
    ...(await checkPython(found.sandbox)),
    checkBash(),
    await checkPowerShell(found.sandbox),
    checkBrowser(),
    describeFont(await findCjkFont()),
    ...(await checkServices(process.env)),
  ];
}

/**
 * Checks the configuration of a server in this folder: who may approve calls, and whether it is
 * accepted.
 */
async function checkConfiguration(): Promise<readonly SystemCheck[]> {
  const without = texts.approvals;
  const review = await reviewConfiguration({
    directory: process.cwd(),
    environment: process.env,
    flags: {},
  });
  if (review.status === "invalid")
    return [{ name: "approvals", status: "wrong", detail: review.problems.join(" "), without }];
  const applied = review.status === "waits" ? review.accepted : review.changed;
  const programs = openProgramKeys({ folder: applied.dataDir }).list();
  const shipped = await configuredGroups(applied);
  return [
    {
      name: "approvals",
      status: "ok",
      detail: describeApprovers({ ...applied, programs }),
      without,
    },
    describeReview(review),
    ...describeValues(configuredValues(applied).list()),
    ...describeProviders(
      openStoredProviders({ configuration: applied, environment: process.env }).list(),
    ),
    ...missingNeeds(shipped),
    ...(await checkConnections(applied, shipped)),
  ];
}

/**
 * Connects to each server. Uses the running server of Capstan, which has the connections and
 * credentials that users added.
 */
async function checkConnections(
  configuration: Configuration,
  shipped: readonly ToolGroup[],
): Promise<readonly SystemCheck[]> {
  const running = await checkAtServer(configuration);
  if (running !== undefined) return running.map(describeConnection);
  const connections = await configuredConnections(configuration, {
    reserved: shipped.map(({ name }) => name),
    watch: false,
  });
  try {
    await connections.check();
    return connections.status().map(describeConnection);
  } finally {
    await connections.close();
  }
}

/**
 * Lets the running server check its connections. Returns `undefined` if there is none or it rejects
 * the request.
 */
async function checkAtServer({
  dataDir,
}: Configuration): Promise<readonly ConnectionView[] | undefined> {
  const url = await findHolder(dataDir);
  if (url === undefined) return undefined;
  const client = createClient({ url, key: await readTerminalKey(dataDir, url) });
  try {
    const listed = (await client.connections()).filter(({ enabled }) => enabled);
    return await Promise.all(listed.map(({ name }) => client.checkConnection(name)));
  } catch {
    return undefined;
  }
}

/** Returns the check of a connection: its problem, or its tools and those that cannot be used. */
export function describeConnection(
  status: Pick<ConnectionView, "name" | "tools" | "waiting" | "missing" | "notes"> & {
    readonly error?: string | null;
    readonly state: string;
  },
): SystemCheck {
  const { name, tools, waiting, missing, notes, state } = status;
  const error =
    status.error ?? (state === "needs_sign_in" ? connectionTexts.signInNext(name) : null);
  const problem =
    missing.length > 0
      ? connectionTexts.missing(missing.join(", "))
      : (error ?? (waiting.length > 0 ? connectionTexts.waiting(waiting.join(", "), name) : ""));
  return {
    name: `connection ${name}`,
    status: problem === "" ? "ok" : missing.length > 0 ? "missing" : "wrong",
    detail:
      problem === ""
        ? connectionTexts.works(formatCount(tools, "tool"), visibleText(notes.join(" ")))
        : problem,
    without: connectionTexts.without,
  };
}

/** Returns a check for each value for scripts that was encrypted with another secret key. */
export function describeValues(values: readonly StoredValue[]): readonly SystemCheck[] {
  return values
    .filter(({ isReadable }) => !isReadable)
    .map(({ name }) => ({
      name: "values",
      status: "wrong",
      detail: texts.unreadableValue(name),
      without: texts.values,
      fix: `capstan scripts environment set ${name}`,
    }));
}

/** Returns a check for each stored provider of models whose key cannot be read. */
export function describeProviders(providers: readonly StoredValue[]): readonly SystemCheck[] {
  return providers
    .filter(({ isReadable }) => !isReadable)
    .map(({ name }) => ({
      name: "providers",
      status: "wrong",
      detail: texts.unreadableProvider(name),
      without: texts.providers,
      fix: texts.restoreKey,
    }));
}

/**
 * Returns a check for each requirement of tools that this machine or configuration does not meet.
 */
export function missingNeeds(groups: readonly ToolGroup[]): readonly SystemCheck[] {
  const toolsByNeed = new Map<string, { readonly fix?: string; readonly tools: string[] }>();
  for (const group of groups)
    for (const { definition, unavailable } of group.tools) {
      if (unavailable === undefined) continue;
      const { needs, ...fix } = unavailable;
      const entry = toolsByNeed.get(needs) ?? { ...fix, tools: [] };
      entry.tools.push(`${group.name}.${definition.function.name}`);
      toolsByNeed.set(needs, entry);
    }
  return [...toolsByNeed].map(([needs, { tools, ...fix }]) => ({
    name: "tools",
    status: "missing",
    detail: texts.toolsNeed(tools.join(", "), needs),
    without: texts.tools,
    ...fix,
  }));
}

function describeReview(review: ConfigurationReview): SystemCheck {
  const check = { name: "config", without: texts.config };
  const { settingsFile } = review.changed;
  const fix = texts.configFix;
  if (review.status === "waits") {
    const detail = texts.configLooser(settingsFile, review.looser.join(", "));
    return { ...check, status: "wrong", detail, fix };
  }
  if (review.status === "unknown")
    return { ...check, without: texts.configUnknown, status: "wrong", detail: review.problem, fix };
  const detail = texts.configStates[review.status];
  return { ...check, status: "ok", detail: `${settingsFile}: ${detail}` };
}

function checkSandbox({ problem, memoryLimit }: FoundSandbox): SystemCheck {
  const name = "sandbox";
  const without = texts.sandbox;
  if (problem === undefined) {
    const detail = `bubblewrap at ${findProgram("bwrap")}`;
    return memoryLimit === "program"
      ? { name, status: "ok", detail, without }
      : {
          name,
          status: "ok",
          detail: `${detail}; ${texts.memoryPerProcess}`,
          without,
          fix: texts.memoryFix,
        };
  }
  return { name, status: "missing", detail: problem.message, without, fix: problem.fix };
}

async function checkPython(sandbox: Sandbox): Promise<readonly SystemCheck[]> {
  const name = "python";
  const without = texts.python;
  const found = await findPython({});
  if (found.status === "found") {
    const python = await findPythonInstallation(found.executable);
    return [
      await checkCall({ name, ...found, without, sandbox }),
      describePip(await pipProblem({ python, sandbox })),
    ];
  }
  const fix = installCommand("python3", { pacman: "python", brew: "python" });
  return [{ name, status: "missing", detail: found.message, without, fix }];
}

/** Describes whether packages can be installed for scripts and code. */
export function describePip(found: Awaited<ReturnType<typeof pipProblem>>): SystemCheck {
  const check = { name: "pip", without: texts.pip };
  if (found === undefined) return { ...check, status: "ok", detail: texts.pipWorks };
  return { ...check, status: "missing", detail: `${found.problem}.`, fix: found.fix };
}

/** Calls a script in the language, because an installed program may still fail in the sandbox. */
async function checkCall(options: {
  readonly name: "python" | "powershell";
  readonly version: string;
  readonly executable: string;
  readonly without: string;
  readonly sandbox: Sandbox;
}): Promise<SystemCheck> {
  const { name, version, executable, without, sandbox } = options;
  const program = `${version} at ${executable}`;
  const problem = await tryScript({ language: name, interpreter: executable, sandbox });
  return problem === undefined
    ? { name, status: "ok", detail: texts.callWorks(program, sandbox.kind !== "none"), without }
    : { name, status: "wrong", detail: texts.callFails(program, problem), without };
}

function checkBash(): SystemCheck {
  return checkProgram({
    name: "bash",
    programs: ["bash"],
    without: texts.bash,
    fix: installCommand("bash"),
  });
}

async function checkPowerShell(sandbox: Sandbox): Promise<SystemCheck> {
  const name = "powershell";
  const without = texts.powershell;
  const found = await findPowerShell({
    interpreter: process.env["CAPSTAN_PWSH"]?.trim() || undefined,
  });
  if (found.status === "found") return checkCall({ name, ...found, without, sandbox });
  const fix =
    findProgram("dotnet") === undefined
      ? texts.powershellFix
      : "dotnet tool install --global PowerShell";
  return { name, status: "missing", detail: found.message, without, fix };
}

function checkBrowser(): SystemCheck {
  return checkProgram({
    name: "browser",
    programs: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    without: texts.browser,
    fix: installCommand("chromium", { brew: "--cask chromium" }),
  });
}

/** Describes the font for Chinese, Japanese and Korean in pictures of charts. */
export function describeFont(path: string | undefined): SystemCheck {
  const name = "font";
  const without = texts.font;
  if (path !== undefined) return { name, status: "ok", detail: path, without };
  return {
    name,
    status: "missing",
    detail: texts.noFont,
    without,
    fix: installCommand("fonts-noto-cjk", { brew: "--cask font-noto-sans-cjk" }),
  };
}

function checkProgram(options: {
  readonly name: string;
  readonly programs: readonly string[];
  readonly without: string;
  readonly fix: string;
}): SystemCheck {
  const { name, programs, without, fix } = options;
  const path = programs.map((program) => findProgram(program)).find((found) => found !== undefined);
  if (path !== undefined) return { name, status: "ok", detail: path, without };
  return { name, status: "missing", detail: texts.notOnPath(programs[0] ?? name), without, fix };
}

/**
 * Checks the PostgreSQL and the Redis that the environment names, if it names any. The result
 * never contains a password.
 */
export async function checkServices(environment: {
  readonly [name: string]: string | undefined;
}): Promise<readonly SystemCheck[]> {
  const database = readDatabaseUrl(environment["CAPSTAN_DATABASE_URL"]);
  const redis = readRedisUrl(environment["CAPSTAN_REDIS_URL"], database.status !== "none");
  const [ofDatabase, ofRedis] = await Promise.all([
    inspect(database, inspectPostgres),
    inspect(redis, inspectRedis),
  ]);
  return [
    ...ofDatabase.map((found) => ({ name: "postgresql", without: texts.database, ...found })),
    ...ofRedis.map((found) => ({ name: "redis", without: texts.redis, ...found })),
  ];
}

/** @returns the inspection, or an empty list if there is no address */
async function inspect(
  address: ReadUrl,
  look: (url: string) => Promise<Inspection>,
): Promise<readonly Inspection[]> {
  if (address.status === "none") return [];
  if (address.status === "invalid") return [{ status: "wrong", detail: address.problem }];
  return [await look(address.url)];
}
