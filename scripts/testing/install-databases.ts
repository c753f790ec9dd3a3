import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import { canInstall, installPackage } from "./apt.ts";

/** A program of a database that tests start themselves. */
interface Database {
  readonly name: string;
  readonly program: string;
  readonly aptPackage: string;
}

const databases: readonly Database[] = [
  { name: "PostgreSQL", program: "initdb", aptPackage: "postgresql" },
  { name: "Redis", program: "redis-server", aptPackage: "redis-server" },
];

/**
 * Finds the databases that tests of several nodes start; those that are missing are installed where
 * this is root on a system with apt. Without them these tests are skipped, and counted.
 */
export async function ensureDatabases(): Promise<void> {
  for (const { name, program, aptPackage } of databases) {
    if (process.platform !== "linux" || isThere(program)) continue;
    const without = `No ${program} on PATH. Tests of several servers`;
    if (!canInstall()) {
      console.log(
        `${without} are skipped. Install ${name} (Debian and Ubuntu: apt-get install ${aptPackage}), and run them again.`,
      );
      continue;
    }
    console.log(`${without} need it, so ${name} is installed with apt, once.`);
    if (!(await installPackage(aptPackage)))
      console.log(`${name} could not be installed. Tests of several servers are skipped.`);
  }
}

function isThere(program: string): boolean {
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    // Debian puts PostgreSQL's own programs here.
    ...globSync("/usr/lib/postgresql/*/bin"),
  ];
  return folders.some((folder) => folder !== "" && existsSync(join(folder, program)));
}
