import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import type { ProgramOutcome } from "./gate-cases/program.ts";

/** The program's result in a page, and the page's errors. */
export interface PageReport {
  readonly outcome: ProgramOutcome;
  /** Violations of its content security policy, uncaught errors, and lines in its console. */
  readonly complaints: readonly string[];
}

const html = `<!doctype html><title>Gate</title><script type="module" src="/main.js"></script><output></output>`;
/**
 * Playwright reads values of a page by creating code from text; reading the page's text does not.
 */
const main = `
const complaints = [];
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
  complaints.push([violatedDirective, blockedURI, sample].join(" ")));
const { runProgram } = await import("/program.js");
const outcome = await runProgram();
// A violation is told a moment after it happened.
setTimeout(() => {
  document.querySelector("output").textContent = JSON.stringify({ outcome, complaints });
}, 50);
`;

/** Runs the program in a fresh page with this content security policy, or none. */
export async function runInPage(
  browser: Browser,
  program: string,
  policy: string | undefined,
): Promise<PageReport> {
  const server = createServer(({ url }, response) => {
    const [type, body] =
      url === "/" ? ["text/html", html] : ["text/javascript", url === "/main.js" ? main : program];
    response.setHeader("content-type", `${type}; charset=utf-8`);
    if (policy !== undefined) response.setHeader("content-security-policy", policy);
    response.end(url === "/favicon.ico" ? "" : body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => complaints.push(message.text()));
  try {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const output = page.locator("output:not(:empty)");
    await output.waitFor({ timeout: 60_000 }).catch((error: unknown) => {
      throw new Error(`The program did not end in the page. ${complaints.join("\n")}`, {
        cause: error,
      });
    });
    const report = JSON.parse((await output.textContent()) ?? "") as PageReport;
    return { ...report, complaints: [...complaints, ...report.complaints] };
  } finally {
    await page.close();
    server.closeAllConnections();
    server.close();
  }
}
