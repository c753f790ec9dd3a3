import assert from "node:assert/strict";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import type { AuthoringOutcome, ScriptDetail } from "@capstan/contract";

import { ScriptVersions } from "../read/script-versions.ts";
import type { languageParsers } from "../read/language-parsers.ts";
import { openScriptApprovals } from "../approve/script-approvals.ts";
import { openToolLibrary } from "../library/tool-library.ts";
import { listValues } from "../values/list-values.ts";
import { openScriptValues } from "../values/script-values.ts";
import { createScriptAuthoring } from "./script-authoring.ts";

const folder = await realpath(await mkdtemp(join(tmpdir(), "capstan-authoring-")));
after(() => rm(folder, { recursive: true }));

/**
 * Each `def NAME` becomes a tool; `network` in the text declares that permission, and `broken` is
 * an error in line 2.
 */
const parse: ReturnType<typeof languageParsers>["python"] = async (sources) =>
  sources.map((bytes) => {
    const text = new TextDecoder().decode(bytes);
    if (text.includes("broken"))
      return { problems: [{ severity: "error", message: "It is broken.", line: 2, column: 3 }] };
    const functions = [...text.matchAll(/def (\w+)/g)].map(([, name = ""], index) => ({
      name,
      description: `Does ${name}.`,
      parameters: { type: "object", properties: {} },
      raises: [],
      hasFormat: false,
      wantsContext: false,
      line: index + 1,
    }));
    const file = text.includes("network") ? { network: true } : {};
    return { functions, declared: { file, functions: {} }, problems: [] };
  });

let count = 0;

async function open(files: { readonly [name: string]: string }) {
  const place = join(folder, `${++count}`);
  const tools = join(place, "tools");
  await mkdir(join(tools, "plug"), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(tools, name), text);
  const parsers = { python: parse, powershell: parse };
  const approvals = openScriptApprovals({ folder: join(place, "data/approvals") });
  const versions = new ScriptVersions(join(place, "data/versions"));
  const library = await openToolLibrary({
    folders: [tools],
    parsers,
    run: () => Promise.reject(new Error("Nothing is run here.")),
    approvals,
    versions,
    watch: false,
  });
  const sealer = {
    seal: (owner: string, text: string) => JSON.stringify([owner, text]),
    open: (owner: string, sealed: string) => {
      const [of, text] = JSON.parse(sealed) as [string, string];
      return of === owner ? ({ status: "opened", text } as const) : { status: "invalid" };
    },
  };
  const values = openScriptValues({ folder: join(place, "data/values"), sealer });
  const nameOf = (path: string) => basename(path);
  const listed = { values, library, approvals, configured: ["REGION"], variables: {}, nameOf };
  const listOfValues = () => listValues(listed);
  const scripts = { library, approvals, parsers, versions, values, listValues: listOfValues };
  const deleted = join(place, "data/deleted");
  const authoring = await createScriptAuthoring({ scripts, folders: [tools], deleted });
  const idOf = (name: string) => authoring.list().find((one) => one.name === name)?.id ?? name;
  return {
    tools,
    authoring,
    library,
    idOf,
    read: async (name: string): Promise<ScriptDetail> =>
      (await authoring.read(idOf(name))) ?? assert.fail(`There is no ${name}.`),
  };
}

function done(outcome: AuthoringOutcome): ScriptDetail {
  return outcome.status === "done" ? outcome.script : assert.fail(JSON.stringify(outcome));
}

test("files are listed with their tools, problems and approval, and ids contain no paths", async () => {
  const { authoring, read, tools } = await open({
    "a.py": "def one\ndef two",
    "b.ps1": "broken",
    "plug/main.py": "def three",
    "c.ts": "export {};",
  });
  assert.deepEqual(
    authoring
      .list()
      .map(({ name, status, approval, editable, language, tools: own }) => [
        name,
        status,
        approval,
        editable,
        language,
        own.map(({ id, line, execution }) => [id, line, execution]),
      ]),
    [
      [
        "a.py",
        "live",
        "none",
        true,
        "python",
        [
          ["a.one", 1, "ask-always"],
          ["a.two", 2, "ask-always"],
        ],
      ],
      ["b.ps1", "broken", "none", true, "powershell", []],
      ["c.ts", "unapproved", "none", false, "module", []],
      ["plug/main.py", "live", "none", true, "python", [["plug.three", 1, "ask-always"]]],
    ],
  );
  const broken = await read("b.ps1");
  assert.deepEqual(broken.problems, [
    { severity: "error", message: "It is broken.", line: 2, column: 3 },
  ]);
  assert.equal(broken.content_hash, null);
  assert.ok(authoring.list().every(({ id }) => /^script_[\w-]{22}$/.test(id)));
  assert.equal(await authoring.read(join(tools, "a.py")), undefined);
  assert.equal(await authoring.read("../a.py"), undefined);
});

test("a saved file is live immediately, and a save that is based on an older version is refused", async () => {
  const { authoring, read, idOf, tools } = await open({ "a.py": "def one" });
  const { source_hash: basedOn } = await read("a.py");
  const saved = done(
    await authoring.save(idOf("a.py"), { source: "def other", basedOn: basedOn ?? "" }),
  );
  assert.deepEqual([saved.source, saved.tools.map(({ id }) => id)], ["def other", ["a.other"]]);
  const late = await authoring.save(idOf("a.py"), { source: "x", basedOn: basedOn ?? "" });
  assert.equal(late.status, "conflict");
  assert.equal(await readFile(join(tools, "a.py"), "utf8"), "def other");
});

// Contract: scripts-77
test("an approval covers only the shown version of a file and its private files", async () => {
  const { authoring, read, idOf, tools, library } = await open({
    "a.py": "def one network",
    "_help.py": "1",
  });
  const shown = await read("a.py");
  assert.deepEqual(shown.declared?.file, { network: true });
  assert.deepEqual(shown.files, ["_help.py", "a.py"]);
  await writeFile(join(tools, "_help.py"), "2");
  const refused = await authoring.approve(idOf("a.py"), shown.content_hash ?? "");
  assert.equal(refused.status, "conflict");
  const { content_hash: hash } = await read("a.py");
  const approved = done(await authoring.approve(idOf("a.py"), hash ?? ""));
  assert.equal(approved.approval, "current");
  assert.equal(approved.approved?.content_hash, hash);
  assert.equal(library.groups[0]?.tools[0]?.permission?.executionPolicy, "ask-once");
  await writeFile(join(tools, "a.py"), "def one network more");
  await library.refresh();
  const changed = await read("a.py");
  assert.equal(changed.approval, "outdated");
  assert.equal(library.groups[0]?.tools[0]?.permission?.executionPolicy, "ask-always");
  const before = await authoring.files(idOf("a.py"), "approved");
  assert.deepEqual(
    before?.files.map(({ name, text }) => [name, text]),
    [
      ["_help.py", "2"],
      ["a.py", "def one network"],
    ],
  );
  const now = await authoring.files(idOf("a.py"), "current");
  assert.equal(now?.content_hash, changed.content_hash);
  const isSame = (n: number) => before?.files[n]?.hash === now?.files[n]?.hash;
  assert.deepEqual(
    [isSame(0), isSame(1)],
    [true, false],
    "a changed file is recognized by its hash",
  );
  assert.equal(done(await authoring.revoke(idOf("a.py"))).approval, "none");
  assert.equal(await authoring.files(idOf("a.py"), "approved"), undefined);
});

// Contract: scripts-77
test("a broken file cannot be approved, and saving approves nothing", async () => {
  const { authoring, read, idOf } = await open({ "a.py": "broken", "b.py": "def b" });
  assert.equal((await authoring.approve(idOf("a.py"), "sha256:x")).status, "conflict");
  const { content_hash: hash, source_hash: basedOn } = await read("b.py");
  done(await authoring.approve(idOf("b.py"), hash ?? ""));
  const source = "def b network";
  const saved = done(await authoring.save(idOf("b.py"), { source, basedOn: basedOn ?? "" }));
  assert.equal(saved.approval, "outdated");
});

test("a new file contains its language's template, and can be deleted and restored", async () => {
  const { authoring, idOf, tools } = await open({});
  const created = done(await authoring.create("weather"));
  assert.equal(created.name, "weather.py");
  assert.deepEqual(
    created.tools.map(({ id }) => id),
    ["weather.greet"],
  );
  assert.equal((await authoring.create("weather.py")).status, "conflict");
  for (const name of ["../x", "x/y", "_x", "x.ts", "x.sh", ""])
    assert.equal((await authoring.create(name)).status, "invalid", name);
  const id = idOf("weather.py");
  assert.deepEqual(await authoring.remove(id), { status: "removed" });
  assert.deepEqual(authoring.list(), []);
  assert.equal((await authoring.remove(id)).status, "not_found");
  assert.equal(done(await authoring.restore(id)).source, created.source);
  assert.equal((await authoring.restore(id)).status, "not_found");
  assert.deepEqual(
    (await readdir(tools)).filter((name) => !name.endsWith(".tool.json")),
    ["plug", "weather.py"],
  );
});

// Contract: scripts-75
test("links and modules are shown, but cannot be changed or approved here", async () => {
  const { authoring, idOf, tools, library } = await open({ "c.ts": "export {};" });
  await symlink(join(tools, "c.ts"), join(tools, "link.py"));
  await library.refresh();
  const link = await authoring.read(idOf("link.py"));
  assert.deepEqual([link?.source, link?.status], [null, "broken"]);
  assert.notEqual(
    (await authoring.save(idOf("link.py"), { source: "x", basedOn: "x" })).status,
    "done",
  );
  assert.equal((await authoring.remove(idOf("link.py"))).status, "conflict");
  for (const outcome of [
    await authoring.save(idOf("c.ts"), { source: "x", basedOn: "x" }),
    await authoring.approve(idOf("c.ts"), "x"),
    await authoring.remove(idOf("c.ts")),
  ])
    assert.equal(outcome.status, "invalid");
  assert.equal(await readFile(join(tools, "c.ts"), "utf8"), "export {};");
});

// Contract: scripts-79
test("a text is checked without being saved, and an aborted check does not block the next one", async () => {
  const { authoring, tools } = await open({});
  const checked = await authoring.check({ name: "new.py", source: "def one network" });
  assert.ok("object" in checked);
  assert.deepEqual(
    checked.tools.map(({ name }) => name),
    ["one"],
  );
  assert.deepEqual(checked.declared?.file, { network: true });
  const wrong = await authoring.check({ name: "new.rb", source: "" });
  assert.ok("status" in wrong && wrong.field === "name");
  const given = authoring.check(
    { name: "new.py", source: "" },
    AbortSignal.abort(new Error("left")),
  );
  await assert.rejects(given, /left/);
  assert.deepEqual(await readdir(tools), ["plug"]);
});
