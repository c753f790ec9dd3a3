import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { openProgramKeys } from "@capstan/server";
import { plainStyle } from "../terminal/style.ts";
import { clientKinds } from "./clients/client-kinds.ts";
import { masked } from "./change-diff.ts";
import {
  connectClient,
  type ConnectTarget,
  disconnectClient,
  printEntry,
} from "./connect-client.ts";

const target: ConnectTarget = {
  url: "http://127.0.0.1:8787/mcp",
  command: { type: "stdio", command: "/usr/bin/node", args: ["main.js", "mcp"] },
};

/** Files of each client before it is connected, with comments and another server. */
const contents: { readonly [client: string]: string } = {
  "claude-code":
    '{\n  "numStartups": 3,\n  "mcpServers": {\n    "other": {"type": "http", "url": "u"}\n  }\n}',
  "claude-desktop": '{"globalShortcut": ""}\n',
  codex: '# mine\nmodel = "x"\n\n[mcp_servers.other]\nurl = "u" # there\n',
  vscode:
    '{\n\t// mine\n\t"servers": {},\n\t"inputs": [\n\t\t{"type": "promptString", "id": "mine"}\n\t]\n}\n',
  cursor: '{\n  "mcpServers": {\n    "other": { "url": "u" } // there\n  }\n}\n',
  zed: '// Zed settings\n{\n  "theme": "One", // dark\n}\n',
  goose: "GOOSE_MODEL: x # mine\nextensions:\n  developer:\n    enabled: true\n",
};

function kindOf(name: string) {
  return clientKinds.find((kind) => kind.name === name) ?? assert.fail(name);
}

/** A user's home with a data directory. */
function user(context: TestContext, name: string, { agrees = true } = {}) {
  const base = mkdtempSync(join(tmpdir(), "capstan-connect-"));
  context.after(() => rmSync(base, { recursive: true, force: true }));
  const kind = kindOf(name);
  const dataDir = join(base, "data");
  const machine = { platform: "linux", home: base, environment: {} } as const;
  const file = kind.file(machine);
  mkdirSync(dirname(file), { recursive: true });
  let output = "";
  const options = {
    kind,
    dataDir,
    machine,
    style: plainStyle,
    write: (text: string) => void (output += text),
    confirm: async () => agrees,
  };
  return {
    options,
    file,
    keys: openProgramKeys({ folder: dataDir }),
    output: () => output,
    text: () => readFileSync(file, "utf8"),
    /** The key that the client uses. */
    key: () =>
      /capstan-program-[\w-]+/.exec(readFileSync(file, "utf8"))?.[0] ??
      readFileSync(join(dataDir, "programs", `${name}.key`), "utf8").trim(),
  };
}

for (const [name, before] of Object.entries(contents))
  test(`${name}: is connected, again, and restored exactly`, async (context) => {
    const { options, file, keys, output, text, key } = user(context, name);
    writeFileSync(file, before);
    chmodSync(file, 0o644);
    assert.equal(await connectClient(options, target), true);
    const first = key();
    assert.equal(keys.principalOf(first), `program:${name}`);
    const isInFile = text().includes(first);
    assert.equal(isInFile, !["claude-desktop", "vscode"].includes(name));
    assert.equal(statSync(file).mode & 0o777, isInFile ? 0o600 : 0o644);
    for (const comment of before.match(/(?:#|\/\/ )[ \w]+/g) ?? [])
      assert.ok(text().includes(comment), comment);
    await connectClient(options, target);
    assert.notEqual(key(), first);
    assert.deepEqual(
      [keys.principalOf(first), keys.principalOf(key())],
      [undefined, `program:${name}`],
    );
    const second = key();
    for (const secret of [first, second]) assert.ok(!output().includes(secret));
    assert.equal(await disconnectClient(options), true);
    assert.equal(text(), before);
    assert.equal(statSync(file).mode & 0o777, 0o644);
    assert.equal(keys.principalOf(second), undefined);
    assert.deepEqual(readdirSync(join(options.dataDir, "programs")), []);
  });

test("disconnecting a client keeps changes that the user made since", async (context) => {
  const changes: { readonly [client: string]: readonly [string, string] } = {
    "claude-code": ['"numStartups": 3', '"numStartups": 4'],
    codex: ['model = "x"', 'model = "y"'],
    vscode: ["// mine", "// yours"],
    zed: ['"One"', '"Two"'],
    goose: ["GOOSE_MODEL: x", "GOOSE_MODEL: y"],
  };
  for (const [name, [from, to]] of Object.entries(changes)) {
    const { options, file, text } = user(context, name);
    const before = contents[name] ?? "";
    writeFileSync(file, before);
    await connectClient(options, target);
    writeFileSync(file, text().replace(from, to));
    await disconnectClient(options);
    assert.equal(
      text().replaceAll(/\s+/g, ""),
      before.replace(from, to).replaceAll(/\s+/g, ""),
      name,
    );
  }
});

test("a missing file is created for the user alone, and removed again", async (context) => {
  for (const { name } of clientKinds) {
    const { options, file } = user(context, name);
    rmSync(dirname(file), { recursive: true });
    await connectClient(options, target);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await disconnectClient(options);
    assert.throws(() => statSync(file), { code: "ENOENT" });
  }
});

test("an entry of the same name is replaced and restored", async (context) => {
  const { options, file, text, output } = user(context, "cursor");
  const before = '{\n  "mcpServers": {\n    "capstan": { "url": "mine" }\n  }\n}\n';
  writeFileSync(file, before);
  await connectClient(options, target);
  assert.match(output(), /replaces the existing mcpServers\.capstan/);
  writeFileSync(file, `${text()}\n`);
  await disconnectClient(options);
  assert.match(text(), /"url": "mine"/);
});

test("nothing changes if the user declines, or if the file cannot be edited", async (context) => {
  const declined = user(context, "codex", { agrees: false });
  writeFileSync(declined.file, "a = 1\n");
  assert.equal(await connectClient(declined.options, target), false);
  assert.equal(declined.text(), "a = 1\n");
  assert.equal(declined.keys.any(), false);
  const cases: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ["codex", 'a = "', /Cannot edit .*line 1.*Nothing was changed/s],
    ["codex", "mcp_servers = { a = {} }\n", /unusual form.*add mcp_servers\.capstan by hand/s],
    ["zed", "[]", /object was expected/],
    ["cursor", '{"mcpServers": 1}', /object was expected/],
    ["goose", "extensions: {a: 1}\n", /unusual form/],
    ["zed", Buffer.from([0xff, 0xfe, 0x7b]), /Cannot read .*Nothing was changed/s],
    ["cursor", "\uFEFF{}", /byte order mark/],
  ];
  for (const [name, content, message] of cases) {
    const { options, file, keys } = user(context, name);
    writeFileSync(file, content);
    await assert.rejects(connectClient(options, target), { name: "CommandFailure", message });
    assert.deepEqual(readFileSync(file), Buffer.from(content));
    assert.equal(keys.any(), false);
    assert.deepEqual(readdirSync(dirname(file)).length, 1);
  }
  const { options } = user(context, "zed");
  await assert.rejects(disconnectClient(options), /Zed is not connected/);
});

test("a change by another program between reading and writing is not lost", async (context) => {
  const { options, file, text, keys } = user(context, "claude-code");
  writeFileSync(file, '{"a": 1}');
  const confirm = async () => {
    writeFileSync(file, '{"a": 2}');
    return true;
  };
  const message = /changed by another program.*Run the command again/s;
  await assert.rejects(connectClient({ ...options, confirm }, target), { message });
  assert.equal(text(), '{"a": 2}');
  assert.equal(keys.any(), false);
  await connectClient(options, target);
  const key = text();
  const failing = connectClient({ ...options, confirm }, target);
  await assert.rejects(failing, { message });
  // The earlier key still works.
  const old = /capstan-program-[\w-]+/.exec(key)?.[0] ?? "";
  assert.equal(keys.principalOf(old), "program:claude-code");
});

test("a link stays a link, and the command mentions it", async (context) => {
  const { options, file, output } = user(context, "zed");
  const shared = join(options.machine.home, "dotfiles.json");
  writeFileSync(shared, "{}\n");
  symlinkSync(shared, file);
  await connectClient(options, target);
  assert.ok(lstatSync(file).isSymbolicLink());
  assert.match(output(), /It is a link to .*dotfiles\.json.*--stdio/);
  assert.match(readFileSync(shared, "utf8"), /capstan-program-/);
});

test("with --stdio the key is in the data directory only, and --print writes nothing", async (context) => {
  const { options, file, text, output, keys } = user(context, "codex");
  printEntry(options, target);
  assert.match(output(), /http_headers = \{ Authorization = "Bearer KEY" \}/);
  assert.equal(keys.any(), false);
  assert.throws(() => statSync(file), { code: "ENOENT" });
  await connectClient(options, { ...target, stdio: true });
  assert.match(text(), /^\[mcp_servers\.capstan\]\ncommand = "\/usr\/bin\/node"\n/);
  assert.doesNotMatch(text(), /capstan-program-/);
  const key = join(options.dataDir, "programs", "codex.key");
  assert.equal(statSync(key).mode & 0o777, 0o600);
  // Over HTTP, only the client's file contains the key.
  await connectClient(options, target);
  assert.throws(() => statSync(key), { code: "ENOENT" });
});

test("secrets of other servers are masked in the shown change", () => {
  for (const [line, shown] of [
    ['  "Authorization": "Bearer abcdefgh"', '  "Authorization": "Bearer ••••••"'],
    ['+api_key = "abcdefgh"', '+api_key = "••••••"'],
    ["    GITHUB_TOKEN: abcdefgh", "    GITHUB_TOKEN: ••••••"],
    ['"Authorization": "Bearer ${input:capstan-key-1}"', undefined],
    ['  "url": "http://127.0.0.1:8787/mcp"', undefined],
    ["env_keys: []", undefined],
  ] as const)
    assert.equal(masked(line), shown ?? line);
});
