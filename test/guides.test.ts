import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunView, ServerInfo } from "@capstan/contract";
import { findProgram } from "@capstan/sandbox";
import { findPython } from "@capstan/scripts";
import { realPowerShell } from "@capstan/scripts/testing";
import { findRedis } from "@capstan/server/testing";
import { findPostgres, testServer } from "@capstan/store/testing";
import { root, runCommand } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import { createApi, spokenText } from "./api.ts";
import {
  assertLines,
  type Guide,
  patternOf,
  readGuide,
  runInTerminal,
  runShell,
  transcriptSteps,
} from "./guide-commands.ts";
import {
  createServerFolder,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";
import { inOrder, startUpstream } from "./upstream.ts";

// Runs the commands, snippets and transcripts of the guides as a reader does. One server serves all
// guides. Its configuration is that of the guide to reviews, so each ViewFile needs a review.

const guides = {
  keepLess: await readGuide("keep-less"),
  reviews: await readGuide("review-results"),
  nodes: await readGuide("run-many-nodes"),
  terminal: await readGuide("terminal"),
  configuration: await readGuide("configuration"),
  python: await readGuide("write-a-python-tool"),
  powershell: await readGuide("write-a-powershell-tool"),
  models: await readGuide("models"),
  builtIn: await readGuide("built-in-tools"),
  connect: await readGuide("connect-an-agent"),
} satisfies { readonly [name: string]: Guide };

const python = await findPython({});
const skipPython = python.status === "missing" && python.message;
/** Built by `npm test` if there is none on PATH. */
const powershell = await realPowerShell();
const skipTerminal = findProgram("script") === undefined && "There is no program `script`.";

const resources = new AsyncDisposableStack();
let folder: ServerFolder;
let server: ServerProcess;

before(async () => {
  const { work } = resources.use(
    await createServerFolder({
      "capstan.config.json": guides.reviews.block('"result": "always"'),
      "notes.md": "# Notes\n",
    }),
  );
  // Readers of the guides do not set a data directory, so it is the default one.
  folder = { work, data: join(work, ".capstan"), [Symbol.asyncDispose]: async () => {} };
  await mkdir(join(work, "capstan-tools"));
  for (const name of ["harbour.py", "harbour.ps1"])
    await copyFile(join(root, "examples/tools", name), join(work, "capstan-tools", name));
  server = resources.use(await startServerProcess({ folder }));
});

after(() => resources.disposeAsync());

async function run(commands: string): Promise<string> {
  const { code, output } = await runShell(commands, { folder: folder.work });
  assert.equal(code, 0, `${commands}\n${output}`);
  return output;
}

/** Types the lines of a chat's transcript after their prompts, and compares what it prints. */
async function chat(transcript: string, command: string): Promise<void> {
  const lines = transcript.trimEnd().split("\n");
  const answers = lines.flatMap((line) => {
    const [, prompt, text] = /^(›|r\/x\/p\/w >) (.+)$/.exec(line) ?? [];
    return prompt === undefined || text === undefined ? [] : [{ prompt, text }];
  });
  assertLines(await runInTerminal(command, answers, { folder: folder.work }), lines, command);
}

async function runTranscript(block: string): Promise<void> {
  for (const { command, expected, answers } of transcriptSteps(block)) {
    // A quoted command would end at the first quote.
    const line = `bash -c ${JSON.stringify(command).replaceAll("$", "\\$")}`;
    assertLines(await runInTerminal(line, answers, { folder: folder.work }), expected, command);
  }
}

test("the terminal's guide: a chat prints the transcript", { skip: skipTerminal }, () =>
  chat(guides.terminal.block("› /FindFiles"), "capstan chat --model capstan/offline"),
);

test("the terminal's guide: its shell commands work with a running server", async () => {
  const [ask = "", script = "", rules = "", outcomes = "", ...others] =
    guides.terminal.blocks("sh");
  assert.deepEqual(others, []);
  const asked = await run(ask);
  assert.match(asked, /DateTime[^]*\d{4}-\d\d-\d\dT/);
  assert.match(asked, /"status": "completed"/);
  await run(script);
  const answer = await readFile(join(folder.work, "answer.txt"), "utf8");
  assert.match(answer, /DateTime[^]*\d{4}-\d\d-\d\dT/);
  assert.doesNotMatch(answer, /→/);
  const said = await run(rules);
  assert.match(said, /^web\.\* +ask-always/m);
  assert.match(said, /path matches secrets\/\*\* +deny, reason: private/);
  assert.match(said, /The rule for web\.\* has no fields any more[^]*Removed: files\.ViewFile/);
  assert.match(await run(outcomes), /outcomes of all calls are known/);
  const inline = /`(capstan tools --json)`/.exec(guides.terminal.text)?.[1] ?? "";
  const tools = (await run(`${inline} 2> errors.txt`)).trim();
  assert.ok(Array.isArray(JSON.parse(tools)));
});

test("the guide to reviews: a user redacts a result", { skip: skipTerminal }, async () => {
  const commands = guides.reviews.block("capstan chat").split("\n");
  const at = commands.findIndex((line) => line.startsWith("capstan chat"));
  await run(commands.slice(0, at).join("\n"));
  await chat(guides.reviews.block("› /ViewFile"), commands[at] ?? "");
});

test(
  "the guide to Python tools: a tool is created, approved and called",
  { skip: skipPython || skipTerminal },
  async () => {
    await runTranscript(guides.python.block("scripts new weather"));
    const source = guides.python.block("TOOL_CONFIG");
    await writeFile(join(folder.work, "capstan-tools/forecast.py"), source);
    await runTranscript(guides.python.block("mkdir capstan-tools/data"));
    const today = await run(`capstan scripts run forecast.today '{"town": "Bergen"}'`);
    assert.match(today, /Sun in Bergen\./);
  },
);

test("the guide to Python tools: its functions work", { skip: skipPython }, async () => {
  const source = await readFile(join(root, "examples/tools/harbour.py"), "utf8");
  const blocks = guides.python.blocks("python").filter((code) => !code.includes("TOOL_CONFIG"));
  assert.equal(blocks.length, 4);
  for (const code of blocks) assertContains(source, code);
  assert.match(await run("capstan scripts check harbour.py"), /3 tools, no problems/);
  const boat = await run(`capstan scripts run harbour.find_boat '{"name": "Anna"}'`);
  assert.match(boat, /^Anna: berth 3, 12 m$/m);
  const tide = await run(`capstan scripts run harbour.watch_tide '{"hours": 2}'`);
  assert.match(tide, /reading hour 1\n[^]*"hour":1/);
});

/**
 * Checks that a file has each part of the code. Blank lines separate parts, whitespace may differ,
 * and `…` is any text.
 */
function assertContains(source: string, code: string): void {
  const squeezed = (text: string) => text.replace(/\s+/g, " ").trim();
  for (const part of code.split(/\n\s*\n/)) {
    const pattern = patternOf(squeezed(part));
    assert.ok(pattern.test(squeezed(source)), `The example lacks:\n${part}`);
  }
}

test("the guide to PowerShell tools: its file has no problems and its code", async () => {
  const source = await readFile(join(root, "examples/tools/harbour.ps1"), "utf8");
  const blocks = guides.powershell.blocks("powershell");
  assert.equal(blocks.length, 3);
  for (const code of blocks) assertContains(source, code);
  await run("capstan scripts new backup.ps1");
  assert.match(await run("capstan scripts check backup.ps1 harbour.ps1"), /2 files.*no problems/);
});

test(
  "the guide to PowerShell tools: its functions work",
  { skip: powershell.status === "missing" && powershell.message },
  async () => {
    assert.ok(powershell.status === "found");
    const { code, output: boat } = await runShell(
      `capstan scripts run harbour-ps1.Get-Boat '{"Name": "Anna"}'`,
      { folder: folder.work, environment: { CAPSTAN_PWSH: powershell.executable } },
    );
    assert.equal(code, 0, boat);
    assert.match(boat, /^Anna: berth 3, 12 m$/m);
  },
);

test("the guide to retention: usage is read while a server runs, and prune once it stopped", async () => {
  const api = createApi(server.url);
  const { id } = await api.createConversation();
  await api.finishedEvents(await api.startTurn({ conversation: id, input: "Hello" }));
  const used = await run(guides.keepLess.block("capstan db usage"));
  assert.match(used, /local[^]*messages/);
  await server.stop();
  const pruned = await run(guides.keepLess.block("capstan db prune"));
  assert.match(pruned, /No data exceeds the retention\.[^]*Reduced from/);
  // The rules are accepted, and `prune` reads them.
  const text = guides.keepLess.block('"retention"');
  await writeFile(join(folder.work, "capstan.config.json"), text);
  assert.match(await run("capstan config accept --yes"), /Accepted/);
  assert.match(await run("capstan db prune --dry-run"), /No data exceeds the retention/);
});

test("the guide to configuration: its file is valid, and an invalid value is named", async () => {
  await using place = await createServerFolder();
  const text = guides.configuration.block("trailing commas");
  const file = join(place.work, "capstan.config.json");
  await writeFile(file, text);
  await mkdir(join(place.work, "notes"));
  const list = guides.configuration.block("capstan tools");
  const listed = await runShell(list, { folder: place.work });
  assert.equal(listed.code, 0, listed.output);
  assert.match(listed.output, /FetchWebPage +off|FetchWebPage.*off/);
  assert.doesNotMatch(listed.output, /warning/);
  await writeFile(file, text.replace('{ "files": true }', '{ "files": "yes" }'));
  const rejected = await runShell(list, { folder: place.work });
  assert.notEqual(rejected.code, 0);
  assert.ok(rejected.output.includes(guides.configuration.block("expected true or false")));
});

test("the guide to configuration: the examples of its settings are valid together", async () => {
  await using place = await createServerFolder();
  const settings: { limits?: object } = {};
  const examples = guides.configuration.blocks("json").filter((text) => !text.includes("// "));
  assert.equal(examples.length, 6);
  for (const text of examples) {
    const example = JSON.parse(text) as typeof settings;
    const limits = { ...settings.limits, ...example.limits };
    Object.assign(settings, example, { limits });
  }
  await writeFile(join(place.work, "capstan.config.json"), JSON.stringify(settings));
  const { code, output } = await runShell("capstan tools", { folder: place.work });
  assert.equal(code, 0, output);
  assert.doesNotMatch(output, /warning/);
});

test(
  "the guide to configuration: a change that allows more is shown and accepted",
  { skip: skipTerminal },
  async () => {
    const rule = { tool: "files.*", execution: "ask-always" };
    const settings = JSON.stringify({ rules: [rule] });
    await using place = await createServerFolder({ "capstan.config.json": settings });
    const work = { folder: place.work, environment: { CAPSTAN_PORT: "0" } };
    const lines = guides.configuration.block("capstan config diff").trimEnd().split("\n");
    const [diff = "", accept = "", serve = "", ...others] = lines;
    assert.deepEqual(others, []);
    await serveUntil(serve, work, async () => {});
    await writeFile(join(place.work, "capstan.config.json"), "{}");
    const shown = await runShell(diff, work);
    assert.equal(shown.code, 1, shown.output);
    assert.match(shown.output, /rules: files\.\*/);
    const said = await runInTerminal(`bash -c '${accept}'`, [{ prompt: "[y/N]", text: "y" }], work);
    assert.match(said, /Accepted\. It applies at the next start/);
    assert.equal((await runShell(diff, work)).code, 0);
  },
);

test("the guide to configuration: its keys have the documented rights", async () => {
  await using place = await createServerFolder();
  const commands = guides.configuration.blocks("sh").filter((code) => code.includes("API_KEYS"));
  assert.equal(commands.length, 2);
  const work = { folder: place.work, environment: { CAPSTAN_PORT: "0" } };
  const rightsOf = async (url: string, key: string) =>
    (await createApi(url, key).request<ServerInfo>("GET", "/v1/capstan")).rights;
  await serveUntil(commands[0] ?? "", work, async (url) => {
    assert.deepEqual(await rightsOf(url, "A-LONG-SECRET"), ["ask"]);
    assert.deepEqual(await rightsOf(url, "ANOTHER-ONE"), ["ask"]);
  });
  await serveUntil(commands[1] ?? "", work, async (url) => {
    assert.deepEqual(await rightsOf(url, "A-LONG-SECRET"), ["ask"]);
    assert.deepEqual(await rightsOf(url, "ANOTHER-ONE"), ["ask", "approve", "admin"]);
  });
});

test(
  "the guide to agents: a client is connected, checked and disconnected",
  { skip: skipTerminal },
  async () => {
    await using place = await createServerFolder();
    const work = { folder: place.work, environment: { CAPSTAN_PORT: "0" } };
    const commands = guides.connect.blocks("sh").map((command) => command.trim());
    const [serve = "", connect = "", check = "", list = "", approvals = "", undo = ""] = commands;
    assert.equal(commands.length, 6);
    const file = join(place.work, ".codex/config.toml");
    const text = '# mine\nmodel = "x"\n';
    await mkdir(join(place.work, ".codex"));
    await writeFile(file, text);
    const agree = (command: string) =>
      runInTerminal(command, [{ prompt: "[y/N]", text: "y" }], { folder: place.work });
    await serveUntil(serve, work, async () => {
      assert.match(await agree(connect), /\+\[mcp_servers\.capstan\][^]*Connected Codex/);
      const checked = await runShell(check, work);
      assert.equal(checked.code, 0, checked.output);
      const steps = guides.connect.block("accepts the key").trimEnd().split("\n");
      const pattern = steps.map((step) => step.replace(/ok .*/, "ok .*")).join("\n");
      assert.match(checked.output, new RegExp(`^${pattern}`));
      assert.match((await runShell(list, work)).output, /^codex {2}connected .* used \d{4}-/);
      assert.match((await runShell(approvals, work)).output, /No call needs your approval/);
      assert.match(await agree(undo), /Disconnected Codex\. Its key is revoked/);
      assert.equal(await readFile(file, "utf8"), text);
    });
  },
);

/** Runs a command that serves until it has printed its address and the function has ended. */
async function serveUntil(
  command: string,
  options: { readonly folder: string; readonly environment: { readonly [name: string]: string } },
  use: (url: string) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const log = join(options.folder, "serve.log");
  await writeFile(log, "");
  const commands = `exec > '${log}' 2>&1\n${command}`;
  const ended = runShell(commands, { ...options, signal: stop.signal });
  try {
    await use(await addressIn(log, ended));
  } finally {
    stop.abort();
    await ended;
  }
}

/** Waits until a server has written its address into a file. */
async function addressIn(log: string, ended: Promise<unknown>): Promise<string> {
  let isRunning = true;
  void ended.then(() => (isRunning = false));
  for (;;) {
    const text = await readFile(log, "utf8");
    const [, port] = /^ {2}address .*:(\d+)$/m.exec(text) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
    if (!isRunning) assert.fail(`The server ended: ${await readFile(log, "utf8")}`);
    await sleep(50);
  }
}

const postgres = findPostgres();
const redis = findRedis();
const skipNodes =
  (postgres.status === "missing" && postgres.reason) ||
  (redis.status === "missing" && redis.reason) ||
  (findProgram("createuser") === undefined && "There is no program `createuser`.");
const nginx = findProgram("nginx");

test("the guide to many nodes: three nodes share a database", { skip: skipNodes }, async (t) => {
  const address = new URL(await (await testServer()).newDatabase());
  const socket = address.searchParams.get("host") ?? "";
  await using place = await createServerFolder();
  const ports = await freePorts(5);
  const [redisPort = 0, one = 0, two = 0, three = 0] = ports;
  // The role `capstan` of the test's PostgreSQL exists already.
  const commands = guides.nodes
    .block("createuser")
    .replace("createuser --pwprompt capstan ", "createuser --pwprompt reader ")
    .replace("--owner capstan capstan", "--owner reader capstan")
    .replace(
      "capstan:SECRET@127.0.0.1:5432/capstan",
      `reader:SECRET@localhost/capstan?host=${socket}`,
    )
    .replace("redis-server", `redis-server --port ${redisPort} --dir '${place.work}'`)
    .replace("127.0.0.1:6379", `127.0.0.1:${redisPort}`)
    .replace("--port 8787", `--port ${one}`)
    .replace("--port 8788", `--port ${two}`)
    .replace("--port 8789", `--port ${three}`)
    .replace(/^nginx .*$/m, "")
    .replaceAll(/^(capstan serve .*?(\d+)) &$/gm, `$1 > '${place.work}/$2.log' 2>&1 &`);
  if (nginx === undefined) t.diagnostic("Without nginx, the load balancer is not started.");
  const stop = new AbortController();
  const environment = {
    PGHOST: socket,
    PGUSER: "capstan",
    CAPSTAN_DATA_DIR: place.data,
    // npm sets this PATH for the commands of a clone.
    PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  };
  // In a clone, npm runs the command in the clone's folder.
  const ended = runShell(`cd '${root}'\n${commands}\nwait`, {
    folder: place.work,
    environment,
    input: "SECRET\nSECRET\n",
    signal: stop.signal,
  });
  try {
    const logs = [one, two, three].map((port) => join(place.work, `${port}.log`));
    for (const log of logs) {
      while ((await readFile(log, "utf8").catch(() => undefined)) === undefined) {
        const result = await Promise.race([ended, sleep(50)]);
        if (result !== undefined) assert.fail(result.output);
      }
    }
    const urls = await Promise.all(logs.map((log) => addressIn(log, ended)));
    const printed = await readFile(logs[2] ?? "", "utf8");
    const expected = guides.nodes.block("  data     PostgreSQL").replaceAll(/ at \S+$/gm, " at …");
    assertLines(printed, expected.trimEnd().split("\n"), "capstan serve");
    assert.ok(!printed.includes("SECRET"));
    const apis = urls.map((url) => createApi(url));
    const { id } = (await apis[0]?.createConversation()) ?? assert.fail();
    const turn = { conversation: id, input: "/DateTime {}", groups: ["basic"] };
    const run = (await apis[1]?.startTurn(turn)) ?? assert.fail();
    await apis[1]?.finishedEvents(run);
    const read = await apis[2]?.request<RunView>("GET", `/v1/runs/${run}`);
    assert.equal(read?.status, "completed");
  } finally {
    stop.abort();
    await ended;
  }
});

test(
  "the guide to many nodes: the load balancer's configuration is valid",
  { skip: nginx === undefined && "nginx is not installed." },
  async () => {
    const file = join(root, "examples/many-nodes/nginx.conf");
    const { status, stderr } = spawnSync(nginx ?? "", ["-t", "-c", file], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  },
);

type Tables = { readonly tables: readonly object[] };

test("the guides to models and to built-in tools: their programs run", async () => {
  // The tests of documented calls run these lines.
  guides.models.block("/then");
  const program = async (code: string) => {
    const args = ["--input-type=module-typescript", "--eval", code];
    const env = withSourceCondition({ ANTHROPIC_API_KEY: undefined, OLLAMA_HOST: "127.0.0.1:9" });
    const { code: exit, output } = await runCommand(process.execPath, args, { env });
    assert.equal(exit, 0, output);
    return output;
  };
  // Without a key there is no such model, so the program uses the offline one.
  assert.match(await program(guides.models.block("createModelCatalog")), /no AI/);
  const groups = guides.builtIn.block("basicTools");
  const names = await program(`${groups}\nconsole.log(groups.map(({ name }) => name).join());`);
  assert.match(names, /^vars,todo,basic,files,retrieval,data,charts,edit,web$/m);
  // The tests of the groups `data` and `charts` run such calls.
  assert.ok(JSON.parse(guides.builtIn.block("Sales by region")));
  assert.equal((JSON.parse(guides.builtIn.block("SELECT c.name")) as Tables).tables.length, 2);
});

test("the guide to models: a server with the Chat Completions API answers", async () => {
  await using place = await createServerFolder();
  await using upstream = await startUpstream(inOrder({ say: ["Good morning."] }));
  const command = guides.models
    .block("CAPSTAN_MODEL_URL=")
    .replace("http://127.0.0.1:8000/v1", upstream.url)
    .trimEnd();
  const environment = { CAPSTAN_PORT: "0", CAPSTAN_DATA_DIR: place.data };
  const work = { folder: place.work, environment };
  await serveUntil(`cd '${root}'\n${command}`, work, async (url) => {
    const api = createApi(url);
    const { id } = await api.createConversation();
    const events = await api.finishedEvents(
      await api.startTurn({ conversation: id, input: "Hello", model: "custom/qwen3" }),
    );
    assert.equal(spokenText(events), "Good morning.");
    assert.equal(upstream.requests[0]?.model, "qwen3");
  });
});

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const one = createServer();
      await new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve));
      return one;
    }),
  );
  const ports = servers.map((one) => {
    const address = one.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  });
  await Promise.all(servers.map((one) => new Promise((resolve) => one.close(resolve))));
  return ports;
}

test(
  "every block of the guides is tested",
  { skip: skipPython || skipTerminal || skipNodes },
  () => {
    const untested = Object.values(guides).flatMap((guide) => guide.untested());
    assert.deepEqual(untested, []);
  },
);
