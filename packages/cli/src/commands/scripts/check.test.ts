import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findPython, templates } from "@capstan/scripts";
import { findApprovable, toolFilesAt } from "./find-files.ts";
import { checkPaths } from "./check.ts";
import { problemLines } from "../../install/check-tools.ts";

const python = await findPython({});
const skip = python.status === "missing" ? python.message : false;
const folder = await realpath(await mkdtemp(join(tmpdir(), "capstan-check-")));
after(() => rm(folder, { recursive: true }));

async function put(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text);
  return path;
}

// Contract: scripts-73
test("files that `scripts new` writes have no problem, in every language", { skip }, async () => {
  const paths = [
    await put("fresh/one.py", templates.py("one")),
    await put("fresh/two.ps1", templates.ps1("two")),
  ];
  const checked = await checkPaths(paths, { folders: [] });
  assert.deepEqual(
    checked.map(({ group, functions, problems }) => [
      group,
      functions.map(({ name }) => name),
      problems,
    ]),
    [
      ["one", ["greet"], []],
      ["two-ps1", ["Get-Greeting"], []],
    ],
  );
  for (const { functions } of checked) {
    assert.equal(functions[0]?.hasFormat, true);
    assert.notEqual(functions[0]?.returns, undefined);
  }
  const properties = checked[0]?.functions[0]?.parameters["properties"];
  assert.deepEqual(properties, {
    name: { type: "string", description: "The name to greet." },
    times: { type: "integer", default: 1, description: "The number of repetitions." },
    tone: {
      type: "string",
      enum: ["kind", "short"],
      default: "kind",
      description: "The tone of the greeting.",
    },
  });
});

// Contract: scripts-59
test(
  "problems are written as file:line:column, so that editors jump to them",
  { skip },
  async () => {
    const path = await put("wrong/bad.py", 'def f(x: My.Own):\n    "Does."\n\ndef g(:\n');
    const shown = async () =>
      problemLines(
        (await checkPaths([path], { folders: [] })).flatMap((file) => file.problems),
        folder,
      );
    assert.match((await shown())[0] ?? "", /^wrong\/bad\.py:4:\d+: error: Python cannot read it: /);
    await put("wrong/bad.py", 'def f(x: My.Own):\n    "Does."\n');
    assert.deepEqual(await shown(), [
      "wrong/bad.py:1:10: warning: The type My.Own is unknown: any value is accepted.",
    ]);
  },
);

test("text of a file cannot control the terminal", () => {
  const [line] = problemLines(
    [{ path: "/x\u001b[2J", severity: "error", message: "a\u001b]52;c;eA==\u0007b\nc" }],
    "/",
  );
  // oxlint-disable-next-line no-control-regex -- the output must not contain control characters
  assert.doesNotMatch(line ?? "", /[\u0000-\u001f]/);
});

test("a path is a file, a plugin folder, a folder of tools, or a name in the configuration's folders", async () => {
  const tools = join(folder, "set");
  const paths = {
    one: await put("set/one.py", ""),
    main: await put("set/plug/main.py", ""),
  };
  const at = async (path: string) =>
    (await toolFilesAt(path, [tools])).files.map((file) => file.path);
  assert.deepEqual(await at(paths.one), [paths.one]);
  assert.deepEqual(await at("one.py"), [paths.one]);
  assert.deepEqual(await at(paths.main), [paths.main]);
  assert.deepEqual(await at(join(tools, "plug")), [paths.main]);
  assert.deepEqual(await at(tools), [paths.one, paths.main]);
  assert.deepEqual(await at("none.py"), []);
  assert.match((await toolFilesAt("none.py", [])).problems[0]?.message ?? "", /no such file/);
  await put("set/_private.py", "");
  assert.match(
    (await toolFilesAt("_private.py", [tools])).problems[0]?.message ?? "",
    /does not begin with _/,
  );
});

test(
  "an approval covers the declarations and the whole content, read from the file itself",
  { skip },
  async () => {
    const path = await put("app/a.py", 'TOOL_CONFIG = {"network": True}\ndef f():\n    "Does."\n');
    await put("app/_help.py", "");
    const found = await findApprovable(path, { folders: [] });
    assert.ok(found.status === "found");
    assert.deepEqual(found.script.declared?.file, { network: true });
    assert.deepEqual(found.script.files, ["_help.py", "a.py"]);
    const module = await findApprovable(await put("app/b.ts", "export {};"), { folders: [] });
    assert.ok(module.status === "found" && module.script.contentHash.startsWith("sha256:"));
    const many = await findApprovable(join(folder, "app"), { folders: [] });
    assert.match(many.problems[0]?.message ?? "", /several files/);
    const broken = await findApprovable(await put("app/c.py", "def"), { folders: [] });
    assert.equal(broken.status, "refused");
  },
);

// Contract: scripts-14
test("hidden text in a script or a module is reported by check and by approve", async () => {
  const paths = [
    await put("hidden/a.ps1", "# one\u202E\nfunction Get-It { 1 }\n"),
    await put("hidden/m.ts", "export const a = 1;\n// \u200B\n"),
  ];
  const checked = await checkPaths(paths, { folders: [] });
  const approved = await Promise.all(paths.map((path) => findApprovable(path, { folders: [] })));
  for (const files of [checked, approved])
    assert.deepEqual(
      files.map(({ problems }) =>
        problems.filter(({ message }) => message.startsWith("Hidden")).map(({ line }) => line),
      ),
      [[1], [2]],
    );
});
