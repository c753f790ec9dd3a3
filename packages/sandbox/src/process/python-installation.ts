import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { promisify } from "node:util";

/** An installed Python. */
export interface PythonInstallation {
  /** The path of the interpreter itself, not of a launcher that selects one. */
  readonly executable: string;
  /** The version that it reports. */
  readonly version: string;
  /** The folders that it needs to run: its installation and its virtual environment. */
  readonly folders: readonly string[];
}

const known = new Map<string, Promise<PythonInstallation>>();

/** Returns the installation of a Python. Runs it once to read its paths. */
export function findPythonInstallation(command: string): Promise<PythonInstallation> {
  const place = known.get(command) ?? askPlace(command);
  known.set(command, place);
  return place;
}

async function askPlace(command: string): Promise<PythonInstallation> {
  const code =
    "import sys; print(sys.executable); print(sys.version.split()[0]); print(sys.base_prefix); print(sys.prefix)";
  const { stdout } = await promisify(execFile)(command, ["-I", "-S", "-c", code], {
    timeout: 10_000,
  });
  const [executable = command, version = "", ...prefixes] = stdout.trim().split("\n");
  const folders = [...prefixes, executable, realpathSync(executable)];
  return {
    executable,
    version,
    // The sandbox always shows the system's own folders.
    folders: [...new Set(folders)].filter((path) => path !== "/usr" && !path.startsWith("/usr/")),
  };
}
