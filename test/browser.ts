import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** A browser for tests, or the reason for skipping if there is none. */
export type FoundBrowser =
  | { readonly status: "found"; readonly path: string }
  | { readonly status: "missing"; readonly reason: string };

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const application = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

let found: FoundBrowser | undefined;

/**
 * Looks for Chromium or Chrome: at CHROME_PATH if it is set, otherwise on PATH.
 *
 * @example
 * const browser = findBrowser();
 * test("…", { skip: browser.status === "missing" && browser.reason }, async () => { … });
 */
export function findBrowser(): FoundBrowser {
  found ??= lookFor(process.env);
  return found;
}

/** Starts the browser that `findBrowser` found, with a profile of its own; close it in a `finally`. */
export async function launchBrowser(): Promise<Browser> {
  const browser = findBrowser();
  if (browser.status === "missing") throw new Error(browser.reason);
  return chromium.launch({
    executablePath: browser.path,
    headless: true,
    // The first start reads the whole browser from the disk, which is slow.
    timeout: 120_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Repeats the search after an installation. */
export function forgetBrowser(): void {
  found = undefined;
}

function lookFor(env: NodeJS.ProcessEnv): FoundBrowser {
  const wanted = env["CHROME_PATH"];
  if (wanted !== undefined && wanted !== "") {
    if (works(wanted)) return { status: "found", path: wanted };
    return {
      status: "missing",
      reason: `CHROME_PATH is ${wanted}, which is not a browser that starts`,
    };
  }
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const path = [...candidates, application].find(works);
  if (path !== undefined) return { status: "found", path };
  return { status: "missing", reason: `no browser: none of ${names.join(", ")} is on PATH` };
}

/** Some systems have a `chromium-browser` that only says how to install it. */
function works(path: string): boolean {
  return existsSync(path) && spawnSync(path, ["--version"], { timeout: 60_000 }).status === 0;
}
