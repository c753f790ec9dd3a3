import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { findPythonInstallation } from "@capstan/sandbox";
import {
  askWithoutSandbox,
  createScriptRunner,
  displayPath,
  findPowerShell,
  findPython,
  ScriptVersions,
  languageParsers,
  listValues,
  missingPackages,
  openScriptApprovals,
  openScriptValues,
  type ScriptValues,
  type ScriptServices,
  openToolLibrary,
  pythonEnvironments,
} from "@capstan/scripts";
import { openSealer } from "@capstan/server/sealing";
import type { Configuration } from "../configuration/configuration.ts";
import { processSandbox } from "./process-sandbox.ts";
import { protectedPaths } from "./protected-paths.ts";
import { problemLines } from "./check-tools.ts";

/**
 * Reads the folders of tools, and reads them again after each change.
 *
 * @param options.reserved ids of installed groups
 * @param options.watch false reads once @default true
 * @param options.log receives each problem once
 * @throws CapstanError `data_directory_unwritable`
 */
export async function openScripts(options: {
  readonly configuration: Pick<
    Configuration,
    | "scripts"
    | "dataDir"
    | "acceptedDir"
    | "roots"
    | "settingsFile"
    | "secretKey"
    | "previousSecretKey"
  >;
  readonly reserved: readonly string[];
  readonly watch?: boolean;
  readonly log?: (line: string) => void;
}): Promise<ScriptServices> {
  const { configuration, reserved, watch = true, log = () => {} } = options;
  const { folders, python, powershell } = configuration.scripts;
  const ofScripts = (name: string) => join(configuration.dataDir, "scripts", name);
  await makeFolder(ofScripts(""));
  const approvals = openScriptApprovals({ folder: ofScripts("approvals") });
  const { sandbox } = await processSandbox();
  // Without a sandbox, each call needs an approval.
  const holding = askWithoutSandbox(sandbox.kind, approvals);
  const environments = pythonEnvironments(ofScripts("environments"));
  const values = configuredValues(configuration);
  const runner = createScriptRunner({
    values,
    sandbox,
    approvals: holding,
    environment: { ...process.env, ...configuration.scripts.environment },
    python: () => findPython({ interpreter: python }),
    powershell: () => findPowerShell({ interpreter: powershell }),
    environments,
    hidden: [configuration.dataDir, configuration.acceptedDir],
    protected: protectedPaths(configuration),
    ruledRoots: configuration.roots.map((path) => ({ path })),
  });
  const parsers = languageParsers({ python });
  const versions = new ScriptVersions(ofScripts("versions"));
  const library = await openToolLibrary({
    folders,
    reserved: [...reserved, "code", "scripts"],
    parsers,
    run: runner.run,
    approvals: holding,
    modules: {
      approved: ({ path, contentHash }) => approvals.list().get(path)?.contentHash === contentHash,
      subscribe: (listener) => approvals.subscribe(listener),
    },
    needs: missingPackages({
      environments,
      async python() {
        const found = await findPython({ interpreter: python });
        return found.status === "found" ? findPythonInstallation(found.executable) : undefined;
      },
    }),
    versions,
    // The next approval is compared with the last approved content.
    alsoKept: () => [...approvals.list().values()].map(({ contentHash }) => contentHash),
    cacheSecret: await cacheSecretIn(ofScripts("cache-secret")),
    watch,
  });
  let told = new Set<string>();
  const tell = () => {
    const lines = problemLines(
      library.files.flatMap(({ problems }) => problems),
      process.cwd(),
    );
    for (const line of lines) if (!told.has(line)) log(line);
    told = new Set(lines);
  };
  tell();
  for (const { name, isReadable } of values.list()) if (!isReadable) log(unreadableValue(name));
  library.subscribe(tell);
  return {
    library,
    approvals,
    parsers,
    versions,
    values,
    listValues: () =>
      listValues({
        values,
        library,
        approvals,
        configured: Object.keys(configuration.scripts.environment ?? {}),
        variables: process.env,
        nameOf: (path) => displayPath(path, process.cwd()),
      }),
    async close() {
      await library.close();
      await runner.close();
      approvals.close();
    },
  };
}

/** Opens the environment values of an installation's scripts. */
export function configuredValues({
  dataDir,
  secretKey,
  previousSecretKey,
}: Pick<Configuration, "dataDir" | "secretKey" | "previousSecretKey">): ScriptValues {
  return openScriptValues({
    folder: join(dataDir, "scripts", "values"),
    sealer: openSealer({ folder: dataDir, secret: secretKey, previousSecret: previousSecretKey }),
  });
}

function unreadableValue(name: string): string {
  return `The value ${name} for scripts cannot be read, because the secret key has changed. Set it again on the page Scripts, or with \`capstan scripts environment set ${name}\`.`;
}

/**
 * Creates the secret if there is none. If two processes create it at once, each can read only its
 * own caches until the next start.
 */
async function cacheSecretIn(file: string): Promise<string> {
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept.length === 64) return kept;
  const secret = randomBytes(32).toString("hex");
  // If it cannot be stored, the next start parses the scripts again.
  await writeFile(file, secret, { mode: 0o600 }).catch(() => {});
  return secret;
}

/** Only its owner can access it, because it contains approvals. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw new CapstanError({
      code: "data_directory_unwritable",
      message: `The folder ${path} cannot be created: ${errorMessage(thrown)}. Make the data directory writable for this user, or choose another with --data DIR.`,
      cause: thrown,
    });
  }
}
