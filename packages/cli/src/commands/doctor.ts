import { findProgram, findSandbox, installCommand } from "@capstan/sandbox";
import { findPowerShell, findPython } from "@capstan/scripts";
import { inspectRedis } from "@capstan/server";
import type { Inspection } from "@capstan/store";
import { inspectPostgres } from "@capstan/store/postgres";
import { type Invocation, printJson } from "../arguments/command.ts";
import { describeApprovers } from "../configuration/describe-approvers.ts";
import {
  type ConfigurationReview,
  reviewConfiguration,
} from "../configuration/accepted-configuration.ts";
import { type ReadUrl, readDatabaseUrl, readRedisUrl } from "../configuration/secrets.ts";
import { type Style, styleFor } from "../terminal/style.ts";

/** Says what is missing on this machine. */
export async function runDoctor({ values }: Invocation): Promise<number> {
  const checks = [...(await checkSystem()), ...(await checkConfiguration())];
  if (values["json"] === true) printJson(checks);
  else process.stdout.write(renderChecks(checks, styleFor(process.stdout)));
  return 0;
}

/** One thing that Capstan can use, and whether it is here. */
export interface SystemCheck {
  readonly name: string;
  /** `wrong`: it is named in the settings, and nodes could not work with it as it is. */
  readonly status: "ok" | "missing" | "wrong";
  /** Its version or place; what is wrong. */
  readonly detail: string;
  /** The features that need it. */
  readonly without: string;
  /** The command that mends it, or what to do. */
  readonly fix?: string;
}

/** Looks for what Capstan can use on this machine, and at the services that the environment names. */
export async function checkSystem(): Promise<readonly SystemCheck[]> {
  return [
    await checkSandbox(),
    await checkPython(),
    checkBash(),
    await checkPowerShell(),
    checkBrowser(),
    ...(await checkServices(process.env)),
  ];
}

/** Says of a server that is started here whose answers count, and whether its configuration is the accepted one. */
async function checkConfiguration(): Promise<readonly SystemCheck[]> {
  const without = "The users who may approve calls are unknown.";
  const review = await reviewConfiguration({
    directory: process.cwd(),
    environment: process.env,
    flags: {},
  });
  if (review.status === "invalid")
    return [{ name: "approvals", status: "wrong", detail: review.problems.join(" "), without }];
  const applied = review.status === "waits" ? review.accepted : review.changed;
  return [
    { name: "approvals", status: "ok", detail: describeApprovers(applied), without },
    describeReview(review),
  ];
}

function describeReview(review: ConfigurationReview): SystemCheck {
  const check = { name: "config", without: "The last accepted configuration applies." };
  const { settingsFile } = review.changed;
  const fix = "capstan config diff, then capstan config accept";
  if (review.status === "waits") {
    const detail = `${settingsFile} allows more than the accepted version: ${review.looser.join(", ")}`;
    return { ...check, status: "wrong", detail, fix };
  }
  if (review.status === "unknown")
    return { ...check, without: "No server starts.", status: "wrong", detail: review.problem, fix };
  const detail = {
    first: "accepted when a server starts",
    same: "equal to the accepted version",
    stricter: "changed, and allows nothing more than the accepted version",
  }[review.status];
  return { ...check, status: "ok", detail: `${settingsFile}: ${detail}` };
}

async function checkSandbox(): Promise<SystemCheck> {
  const name = "sandbox";
  const without =
    "Scripts ask every time and are not confined; of the code tools only JavaScript is there.";
  const { problem, memoryLimit } = await findSandbox();
  if (problem === undefined) {
    const detail = `bubblewrap at ${findProgram("bwrap")}`;
    return memoryLimit === "program"
      ? { name, status: "ok", detail, without }
      : {
          name,
          status: "ok",
          detail: `${detail}; memory is limited for each process, not for a program as a whole`,
          without,
          fix: "To limit whole programs, run Capstan in a systemd user session, or as a service with Delegate=yes.",
        };
  }
  return { name, status: "missing", detail: problem.message, without, fix: problem.fix };
}

async function checkPython(): Promise<SystemCheck> {
  const name = "python";
  const without = "Python scripts are neither read nor run, and there is no Python tool.";
  const found = await findPython({});
  if (found.status === "found")
    return { name, status: "ok", detail: `${found.version} at ${found.executable}`, without };
  const fix = installCommand("python3", { pacman: "python", brew: "python" });
  return { name, status: "missing", detail: found.message, without, fix };
}

function checkBash(): SystemCheck {
  return checkProgram({
    name: "bash",
    programs: ["bash"],
    without: "There is no Shell tool.",
    fix: installCommand("bash"),
  });
}

async function checkPowerShell(): Promise<SystemCheck> {
  const name = "powershell";
  const without = "PowerShell scripts are read but not run, and there is no PowerShell tool.";
  const found = await findPowerShell({
    interpreter: process.env["CAPSTAN_PWSH"]?.trim() || undefined,
  });
  if (found.status === "found")
    return { name, status: "ok", detail: `${found.version} at ${found.executable}`, without };
  const fix =
    findProgram("dotnet") === undefined
      ? "Install PowerShell 7: https://aka.ms/install-powershell"
      : "dotnet tool install --global PowerShell";
  return { name, status: "missing", detail: found.message, without, fix };
}

function checkBrowser(): SystemCheck {
  return checkProgram({
    name: "browser",
    programs: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    without: "Of the project's own tests those of the page are skipped.",
    fix: installCommand("chromium", { brew: "--cask chromium" }),
  });
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
  return { name, status: "missing", detail: `${programs[0]} is not on PATH.`, without, fix };
}

const withoutDatabase = "Servers with this address do not start, or may lose what was told.";
const withoutRedis =
  "Runs continue with a delay: each server claims queued runs from the database.";

/**
 * Checks the PostgreSQL and the Redis that the environment names, if it names any. The answer has
 * no password.
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
    ...ofDatabase.map((found) => ({ name: "postgresql", without: withoutDatabase, ...found })),
    ...ofRedis.map((found) => ({ name: "redis", without: withoutRedis, ...found })),
  ];
}

/** @returns what was found, if there is an address */
async function inspect(
  address: ReadUrl,
  look: (url: string) => Promise<Inspection>,
): Promise<readonly Inspection[]> {
  if (address.status === "none") return [];
  if (address.status === "invalid") return [{ status: "wrong", detail: address.problem }];
  return [await look(address.url)];
}

/** The checks as people read them: what is missing, what that means, and the command that mends it. */
export function renderChecks(checks: readonly SystemCheck[], style: Style): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, status, detail, without, fix }) => {
      const mark = status === "ok" ? style.green("ok     ") : style.yellow(status.padEnd(7));
      const indent = " ".repeat(width + 10);
      return [
        `${name.padEnd(width)}  ${mark} ${detail}`,
        ...(status === "ok" ? [] : [`${indent}${without}`]),
        ...(fix === undefined ? [] : [`${indent}${style.bold(fix)}`]),
      ];
    })
    .map((line) => `${line}\n`)
    .join("");
}
