// npm run build: builds, packs, installs and tries all packages in their published form.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryInstallSize } from "./packing/installed-size.ts";
import { lintPacked, type PackedPackage } from "./packing/pack.ts";
import { packAndInstall } from "./packing/pack-and-install.ts";
import { tryPackage, tryTypes } from "./packing/trial.ts";
import { tryServer } from "./packing/try-server.ts";

const folder = await mkdtemp(join(tmpdir(), "capstan-build-"));
try {
  process.exitCode = (await build()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Returns whether all packages are fit to be published. */
async function build(): Promise<boolean> {
  const { packed, project } = await packAndInstall(folder);
  const workspaces = packed.map(({ workspace }) => workspace);
  let fit = true;
  for (const one of packed) {
    const problems = [...(await lintPacked(one)), ...(await tryPackage(one.workspace, project))];
    report(one, problems);
    fit &&= problems.length === 0;
  }
  const size = await tryInstallSize(project);
  const problems = [
    ...(size === undefined ? [] : [size]),
    ...(await tryTypes(workspaces, project)),
    ...(await tryServer(project)),
  ];
  for (const problem of problems) console.log(`FAIL  ${problem}`);
  if (problems.length === 0)
    console.log(
      "ok the size, the types of all entry points, and capstan serve: health, page, an answer",
    );
  return fit && problems.length === 0;
}

function report({ workspace, files, size }: PackedPackage, problems: readonly string[]): void {
  const { name, doors, commands } = workspace;
  const tried = [
    ...doors.map((door) => `import ${door}`),
    ...commands.map((command) => `${command} --help`),
  ];
  const measure = `${String(files.length).padStart(4)} files ${String(Math.ceil(size / 1024)).padStart(5)} KiB`;
  const verdict = problems.length === 0 ? "ok  " : "FAIL";
  console.log(`${verdict}  ${name.padEnd(16)} ${measure}   ${tried.join(", ")}`);
  for (const problem of problems) console.log(`      ${problem.replaceAll("\n", "\n      ")}`);
}
