import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { findProgram } from "@capstan/sandbox";
import { root } from "../../scripts/command.ts";
import { sourceCondition } from "../../scripts/source-condition.ts";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { visit } from "./visitor.ts";

// Tests a browser that is paired by a link from a terminal, and one that is not.

const found = findBrowser();
/** Runs a command in a new terminal. */
const terminalProgram = findProgram("script");
const noTerminal = terminalProgram === undefined && "There is no program `script`.";
const skip = found.status === "missing" ? found.reason : noTerminal;

let capstan: Capstan;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  capstan = await startCapstan({
    files: { "notes.md": "Haul away." },
    config: {
      approvals: { from: "people" },
      rules: [{ tool: "files.ViewFile", execution: "ask-always", reason: "Files are private." }],
    },
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await capstan?.close();
});

const command = () => [
  process.execPath,
  `--conditions=${sourceCondition}`,
  join(root, "packages/cli/src/main.ts"),
];

/** Runs `capstan …` in a terminal, and returns its output. */
function inTerminal(...args: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const line = [...command(), ...args, "--data", capstan.data].join(" ");
  const child = spawn(terminalProgram ?? "", ["-qec", line, "/dev/null"], { cwd: capstan.folder });
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  child.on("close", () => resolve(shown));
  return promise;
}

async function piped(...args: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; output: string }>();
  const [program = "", ...before] = command();
  const child = spawn(program, [...before, ...args, "--data", capstan.data], {
    cwd: capstan.folder,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end();
  child.on("close", (code) => resolve({ code, output }));
  return promise;
}

const linkIn = (text: string) => /http:\S+#pair=[\w-]+/.exec(text)?.[0];

test(
  "a browser can approve after a link from a terminal paired it, also after a restart, until it is revoked",
  { skip },
  async () => {
    const me = await visit(browser, capstan.url);
    const notice = me.page.getByTestId("pairing-notice");
    await notice.getByText("capstan pair").waitFor();
    const link = linkIn(await inTerminal("pair")) ?? assert.fail("no link was printed");
    await me.page.goto(link);
    await notice.waitFor({ state: "detached" });
    assert.doesNotMatch(me.page.url(), /pair=/);

    await me.say('/UpdateVariable {"name":"a","value":"b"}');
    await me.turnEnds();
    const panel = await me.openPanel("Permissions");
    await panel.getByText("Calls can be approved in paired browsers").waitFor();
    const rule = () =>
      me.page.evaluate(async () => {
        const token = localStorage.getItem("capstan.anti-forgery-token") ?? "";
        const change = async (headers: Record<string, string>) =>
          (
            await fetch("/v1/overrides", {
              method: "PUT",
              headers: { "content-type": "application/json", ...headers },
              body: JSON.stringify({ tool: "web.*", execution: "auto" }),
            })
          ).status;
        return [await change({}), await change({ "x-csrf-token": token }), document.cookie];
      });
    assert.deepEqual(await rule(), [403, 200, ""]);

    await capstan.stop();
    await capstan.start();
    await me.page.reload();
    assert.deepEqual(await rule(), [403, 200, ""]);

    const other = await visit(browser, capstan.url);
    await other.page.goto(link);
    await other.page.getByText("This link was used before").waitFor();
    await other.leave();

    const id = /sess_\w+/.exec((await piped("pair", "--list")).output)?.[0] ?? assert.fail();
    assert.equal((await piped("pair", "--revoke", id)).code, 0);
    assert.deepEqual(await rule(), [403, 403, ""]);
    await me.leave();
  },
);

test(
  "a card in a browser that is not paired says how to pair it and allows nothing; paired, it allows the call",
  { skip },
  async () => {
    const me = await visit(browser, capstan.url);
    await me.say('/ViewFile {"path":"notes.md"}');
    const card = me.card("ViewFile");
    await card.getByTestId("may-not-allow").getByText("capstan pair").waitFor();
    // A card that has just appeared takes no answer for a moment.
    const enabled = me.page.locator(":enabled");
    await card.getByTestId("approval-refuse").and(enabled).waitFor();
    assert.equal(await card.getByTestId("approval-allow-once").isDisabled(), true);
    await me.page.keyboard.press("Alt+A");

    // Requests of the page or of an agent on this machine cannot approve either.
    const id = (await card.getAttribute("data-approval")) ?? assert.fail();
    const allow = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "allow" }),
    };
    const path = `/v1/approvals/${id}`;
    const agents = await fetch(capstan.url + path, allow);
    assert.equal(agents.status, 403);
    assert.match(await agents.text(), /capstan pair/);
    const pages = await me.page.evaluate(
      async ([to, request]) => (await fetch(to, request)).status,
      [path, allow] as const,
    );
    assert.equal(pages, 403);

    const link = linkIn(await inTerminal("pair")) ?? assert.fail("no link was printed");
    const tab = await me.page.context().newPage();
    await tab.goto(link);
    await tab.waitForFunction(() => !location.hash.includes("pair="));
    await tab.close();
    await me.page.reload();
    const allowOnce = card.getByTestId("approval-allow-once").and(enabled);
    await allowOnce.waitFor();
    assert.equal(await card.getByTestId("may-not-allow").count(), 0);
    await allowOnce.click();
    await me.turnEnds();
    assert.match(await me.answer(), /Haul away/);
    await me.leave();
  },
);

test("without a terminal no link is printed", { skip }, async () => {
  const { code, output } = await piped("pair");
  assert.equal(code, 1);
  assert.match(output, /must be a terminal/);
  assert.equal(linkIn(output), undefined);
  assert.equal(linkIn(capstan.output()), undefined);
  assert.match(capstan.output(), /^ {2}approve {2}people: paired browsers and terminals/m);
});

test(
  "a terminal of the server's user is paired; without one a command is told how",
  { skip },
  async () => {
    const loosen = ["rules", "set", "files.*", "--execution", "auto"];
    assert.match((await piped(...loosen)).output, /"approve".*capstan pair/);
    assert.match(await inTerminal(...loosen), /files\.\*/);
    assert.match((await piped("rules")).output, /files\.\*/);
  },
);
