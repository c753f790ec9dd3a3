import { spawnSync } from "node:child_process";
import { findPostgres } from "@capstan/store/testing";
import { canInstall, installPackage } from "./apt.ts";

interface Program {
  readonly name: string;
  /** Debian's and Ubuntu's package. */
  readonly package: string;
  readonly isThere: () => boolean;
}

const programs: readonly Program[] = [
  {
    name: "PostgreSQL",
    package: "postgresql",
    isThere: () => findPostgres().status === "found",
  },
  {
    name: "Redis",
    package: "redis-server",
    isThere: () => spawnSync("redis-server", ["--version"]).status === 0,
  },
];

/**
 * Finds the databases and queues that tests start for themselves, or installs them if the user is
 * root and the system has apt. Tests of a missing one are skipped, and counted.
 */
export async function ensureStores(): Promise<void> {
  for (const program of programs.filter(({ isThere }) => !isThere())) await ensure(program);
}

async function ensure({ name, package: packageName }: Program): Promise<void> {
  if (!canInstall()) {
    console.log(
      `${name} is not installed. Its tests are skipped. Install it (Debian and Ubuntu: apt-get install ` +
        `${packageName}), and run them again.`,
    );
    return;
  }
  console.log(`${name} is not installed. Its tests need it, so it is installed with apt, once.`);
  if (!(await installPackage(packageName)))
    console.log(`${name} could not be installed. Its tests are skipped.`);
}
