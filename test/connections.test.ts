import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startOAuthServers } from "@capstan/connections/testing";
import { findSandbox } from "@capstan/sandbox";
import { root } from "../scripts/command.ts";
import { type Guide, readGuide, runShell } from "./guide-commands.ts";
import { createServerFolder, type ServerFolder, startServerProcess } from "./server-process.ts";

// Connects the published file server as the guide describes, and kills the server of Capstan.

const { problem } = await findSandbox();
const skip = problem?.message ?? false;
const program = join(root, "node_modules/.bin/mcp-server-filesystem");

let folder: ServerFolder;
let guide: Guide;
let notes: string;

before(async () => {
  folder = await createServerFolder({ "notes/list.md": "Buy milk" });
  guide = await readGuide("connect-a-service");
  notes = join(folder.work, "notes");
  const settings = guide
    .block('"read": ["/srv/notes"]')
    .replaceAll("/srv/notes", notes)
    .replace('"mcp-server-filesystem"', JSON.stringify(program));
  await writeFile(join(folder.work, "capstan.config.json"), settings);
});
after(async () => {
  await folder?.[Symbol.asyncDispose]();
});

const run = (commands: string) =>
  runShell(commands, { folder: folder.work, environment: { CAPSTAN_DATA_DIR: folder.data } });

test("the commands of the guide connect a program, and show changed tools", { skip }, async () => {
  const checked = await run(guide.block("connections check notes"));
  assert.match(checked.output, /^notes .*14 tools/m);
  assert.equal(checked.code, 0);
  const same = await run(guide.block("capstan connections accept notes"));
  assert.match(same.output, /are those that were accepted/);

  // As if the server had had another description before.
  const file = join(folder.data, "connections/definitions/notes.json");
  const stored = await readFile(file, "utf8");
  const text = stored.replace('"accepted":[{', '"accepted":[{"title":"Old",');
  await writeFile(file, text.replace(/"digest":"[0-9a-f]{8}/, '"digest":"00000000'));
  const waiting = await run("capstan connections check");
  assert.equal(waiting.code, 1);
  assert.match(waiting.output, /needs your approval: read_file/);
  const shown = await run("capstan connections accept notes");
  assert.equal(shown.code, 1, "without a terminal nothing is accepted");
  assert.match(shown.output, /read_file\n.*accepted/s);
  assert.equal((await run("capstan connections accept notes --yes")).code, 0);

  const settings = guide.block('"Authorization"');
  await mkdir(join(folder.work, "address"));
  await writeFile(join(folder.work, "address/capstan.config.json"), settings);
  const listed = await run("cd address; capstan connections list --data ../other");
  assert.match(listed.output, /tickets .*needs a variable\n.*set TICKETS_TOKEN/);

  await mkdir(join(folder.work, "private"));
  await writeFile(join(folder.work, "private/capstan.config.json"), guide.block('"private": true'));
  const internal = await run("cd private; capstan connections list --data ../private-data");
  assert.match(internal.output, /tickets .*https:\/\/mcp\.corp\.example\.org\/mcp/);
  assert.equal(internal.code, 0, internal.output);

  await mkdir(join(folder.work, "requests"));
  const hosts = guide.block('"requestServers"');
  await writeFile(join(folder.work, "requests/capstan.config.json"), hosts);
  const allowed = await run("cd requests; capstan connections list --data ../requested");
  assert.equal(allowed.code, 0, allowed.output);

  await mkdir(join(folder.work, "openapi"));
  await writeFile(join(folder.work, "openapi/capstan.config.json"), guide.block('"openapi"'));
  await writeFile(join(folder.work, "openapi/petstore.yaml"), petstore);
  const read = await run(
    `cd openapi; PETSTORE_KEY=k ${guide.block("connections check petstore").trim()} --data ../petstore`,
  );
  assert.match(read.output, /^petstore .*petstore\.yaml {2}1 tool/m);
  assert.match(
    read.output,
    /oldPets \(GET \/old\): it refers to \.\/old\.yaml, which cannot be read/,
  );
  assert.equal(read.code, 0);
  const unset = await run("cd openapi; capstan connections list --data ../petstore");
  assert.match(unset.output, /set PETSTORE_KEY/);

  await using servers = await startOAuthServers();
  const add = guide.block("capstan connections add tickets");
  const added = await run(add.replace("https://mcp.example.org/mcp", servers.url));
  assert.match(added.output, /^tickets .*needs a sign-in/m);
  const login = guide.block("capstan connections login tickets").trim();
  const rejected = await run(`echo wrong-token-1 | ${login} --key`);
  assert.equal(rejected.code, 1);
  assert.match(rejected.output, /rejects the stored credential/);
  assert.doesNotMatch(rejected.output, /wrong-token/);
  const removed = await run("capstan connections remove tickets --yes");
  assert.match(removed.output, /Removed tickets/);
  assert.deepEqual(guide.untested(), []);
});

const petstore = `
openapi: 3.1.0
info: { title: Petstore, version: "1" }
servers: [{ url: https://petstore.example.org }]
security: [{ api_key: [] }]
paths:
  /pets: { get: { operationId: listPets } }
  /old: { get: { operationId: oldPets, parameters: [{ $ref: ./old.yaml }] } }
components:
  securitySchemes: { api_key: { type: apiKey, in: header, name: X-Key } }
`;

test("no process of a server is left after kill -9", { skip }, async () => {
  await using server = await startServerProcess({ folder });
  // A new server is listed in the background.
  for (let tries = 0; tries < 200; tries++) {
    const tools = await fetch(`${server.url}/v1/tools`);
    if ((await tools.text()).includes("notes.read_text_file")) break;
    await sleep(50);
  }
  const response = await fetch(`${server.url}/v1/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      model: "capstan/offline",
      input: `/read_text_file ${JSON.stringify({ path: join(notes, "list.md") })}`,
      tools: [
        {
          type: "mcp",
          server_label: "notes",
          server_url: "capstan://groups/notes",
          require_approval: "never",
        },
      ],
    }),
  });
  const text = await response.text();
  assert.match(text.slice(-700), /Buy milk/);
  assert.notEqual((await processesOf(notes)).length, 0);
  await server.kill();
  for (let tries = 0; tries < 200 && (await processesOf(notes)).length > 0; tries++)
    await sleep(50);
  assert.deepEqual(await processesOf(notes), []);
});

/** Returns the processes with a text in their arguments. */
async function processesOf(argument: string): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const line = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
      return line.split("\0").includes(argument) ? [id] : [];
    }),
  );
  return found.flat();
}
