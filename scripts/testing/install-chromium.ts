import { spawnSync } from "node:child_process";
import { findBrowser, forgetBrowser, type FoundBrowser } from "../../test/browser.ts";
import { runCommand } from "../command.ts";

/**
 * Finds the browser that tests of the page need; where there is none, and this is root on a system
 * with apt, installs Debian's Chromium. Says what it does; anything else is left to the reader.
 */
export async function ensureBrowser(): Promise<FoundBrowser> {
  const browser = findBrowser();
  if (browser.status === "found") return browser;
  if (!canInstall()) {
    console.log(
      `${capitalised(browser.reason)}. Tests of the page are skipped. Install Chromium or Chrome ` +
        "(Debian and Ubuntu: apt-get install chromium), or set CHROME_PATH, and run them again.",
    );
    return browser;
  }
  console.log(
    `${capitalised(browser.reason)}. The tests of the page need one, so Chromium is installed with apt, once.`,
  );
  if (
    !(await apt("update")) ||
    !(await apt("install", "--yes", "--no-install-recommends", "chromium"))
  ) {
    console.log("Chromium could not be installed. Tests of the page are skipped.");
  }
  forgetBrowser();
  return findBrowser();
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0;
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

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
