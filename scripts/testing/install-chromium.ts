import { findBrowser, forgetBrowser, type FoundBrowser } from "../../test/browser.ts";
import { canInstall, installPackage } from "./apt.ts";

/**
 * Finds the browser that tests of the page need, or installs Debian's Chromium if the user is root
 * and the system has apt. Prints its steps, or how to install a browser.
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
  if (!(await installPackage("chromium")))
    console.log("Chromium could not be installed. Tests of the page are skipped.");
  forgetBrowser();
  return findBrowser();
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
