import { spawnSync } from "node:child_process";
import { runCommand } from "../command.ts";

/** Whether packages can be installed here: as root, on a system with apt. */
export function canInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0;
}

/** Installs a package, without those that it only recommends. @returns whether it is there now */
export async function installPackage(name: string): Promise<boolean> {
  return (await apt("update")) && (await apt("install", "--yes", "--no-install-recommends", name));
}

/** Runs apt-get with a line of progress for every 50 packages. */
async function apt(...args: readonly string[]): Promise<boolean> {
  console.log(`  apt-get ${args.join(" ")} …`);
  let unpacked = 0;
  const { code, output, ms } = await runCommand("apt-get", args, {
    env: { DEBIAN_FRONTEND: "noninteractive" },
    onOutput: (text) => {
      for (const _ of text.matchAll(/^Unpacking /gm)) {
        unpacked += 1;
        if (unpacked % 50 === 0) console.log(`  ${unpacked} packages unpacked …`);
      }
    },
  });
  console.log(code === 0 ? `  done in ${(ms / 1000).toFixed(0)} s` : `  failed:\n${output}`);
  return code === 0;
}
