// The same cases in each language. PowerShell runs with a replacement that uses its protocol, and
// with the real one in powershell/powershell-worker-command.real.test.ts.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type GivenFile, runToolChain, type ToolGroup } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { noSandbox, testFolder } from "@capstan/sandbox/testing";
import { scriptGroup } from "../library/script-group.ts";
import { openToolLibrary } from "../library/tool-library.ts";
import { ScriptVersions } from "../read/script-versions.ts";
import { approveAll, scriptFile, testRunner } from "../testing/run-script.ts";
import { fakeParsers, toolFolder } from "../testing/tool-folder.ts";
import { checkContext, executorOf, file } from "../testing/check-context.ts";
import { findPowerShell } from "./powershell/find-powershell.ts";

const folder = testFolder();
const noPython = existsSync("/usr/bin/python3") ? false : "no /usr/bin/python3";
const auto = { file: { executionPolicy: "auto" as const }, functions: {} };

const python = `
def show_context(context=None):
    context.write("written")
    context.event("web_search.searching", {"query": "q"})
    context.cite({"type": "url_citation", "url": "https://a.example/"})
    files = [[one.name, one.text()] for one in context.files]
    return {"user": context.user, "request": context.request, "tool": context.tool, "files": files}


def sizes(context=None):
    pieces = [[len(piece) for piece in one.stream()] for one in context.files]
    return {"pieces": pieces, "ids": [one.id for one in context.files], "again": len(context.files[0].read())}


def missing(context=None):
    return context.files[0].read()


def answer(context=None):
    context.write("The answer.")


def secret(context=None):
    return "hidden"
`;

function pythonGroup(): ToolGroup {
  const script = scriptFile(join(folder, "shows.py"), python);
  const approved = {
    ...auto,
    functions: { answer: { final: true }, secret: { hidden: true } },
  };
  return scriptGroup(script, {
    run: testRunner({ approvals: approveAll(approved) }).run,
    approved,
  });
}

function powerShellGroup(): ToolGroup {
  const standIn = join(folder, "pwsh");
  copyFileSync(fileURLToPath(new URL("powershell/testing/stand-in.py", import.meta.url)), standIn);
  chmodSync(standIn, 0o755);
  const script = {
    ...scriptFile(join(folder, "scripts", "shows.ps1"), "function Get-Context {}"),
    language: "powershell" as const,
    groupId: "shows-ps1",
    functions: [
      {
        name: "Get-Context",
        description: "",
        parameters: { type: "object" as const },
        raises: [],
        hasFormat: false,
        wantsContext: true,
        line: 1,
      },
    ],
  };
  const runner = testRunner({ powershell: () => findPowerShell({ interpreter: standIn }) });
  return scriptGroup(script, { run: runner.run, approved: auto });
}

const typescript = `
import { defineTool, withAnnotations } from "@capstan/core";
export const show = defineTool({
  name: "show_context", description: "", effects: "read", permission: { executionPolicy: "auto" },
  execute: async (_args, { request, principal, tool, files, output, signal }) => {
    output.write("written");
    output.event("web_search.searching", { query: "q" });
    const texts = files.map(async (file) => [file.name, new TextDecoder().decode(await file.read(signal))]);
    const { user = principal.id } = request;
    return withAnnotations({ user, request, tool: tool ?? null, files: await Promise.all(texts) },
      [{ type: "url_citation", url: "https://a.example/" }]);
  },
});
`;

async function typeScriptGroup(): Promise<ToolGroup> {
  const library = await openToolLibrary({
    folders: [await toolFolder({ "shows.ts": typescript })],
    parsers: fakeParsers(),
    run: async () => ({ value: null }),
    watch: false,
    versions: new ScriptVersions(join(await toolFolder(), "versions")),
    modules: { approved: () => true, subscribe: () => () => {} },
  });
  after(() => library.close());
  const [group] = library.groups;
  assert.ok(group !== undefined);
  return group;
}

const languages: readonly (readonly [string, string, () => ToolGroup | Promise<ToolGroup>])[] = [
  ["Python", "show_context", pythonGroup],
  ["PowerShell", "Get-Context", powerShellGroup],
  ["TypeScript", "show_context", typeScriptGroup],
];

for (const [language, name, makeGroup] of languages) {
  const skip = language === "TypeScript" ? false : noSandbox || noPython;
  // Contract: scripts-81, scripts-82
  test(
    `a ${language} function has its user, request, tool and files, and writes, reports and cites`,
    { skip },
    async () => checkContext(await makeGroup(), name),
  );
}

describe("a Python function", { skip: noSandbox || noPython }, () => {
  const group = pythonGroup();

  // Contract: scripts-83
  test("reads a large file in pieces, and gets the reason if it cannot be read", async () => {
    const large = "x".repeat(2 * 1024 * 1024 + 5);
    const executor = executorOf(group);
    const result = await executor.execute(
      "sizes",
      {},
      {
        caller: { files: { _all: [file("large", large, "file-1"), file("empty", "")] } },
      },
    );
    assert.ok(result.status === "success", JSON.stringify(result));
    assert.deepEqual(result.data, {
      pieces: [[1_048_576, 1_048_576, 5], []],
      ids: ["file-1", null],
      again: large.length,
    });
    const broken: GivenFile = {
      ...file("gone", ""),
      read: () => Promise.reject(new Error("The bytes are gone.")),
    };
    const failed = await executor.execute("missing", {}, { caller: { files: { _all: [broken] } } });
    assert.ok(failed.status === "error");
    assert.match(failed.finalText, /The bytes are gone\./);
  });

  // Contract: scripts-84
  test("is final or hidden as its approved file declares", async () => {
    const model = new ScriptedModel([{ calls: [{ name: "answer" }] }]);
    const chain = runToolChain({ executor: executorOf(group), model, contextMessages: [] });
    assert.equal((await chain.result).answer, "The answer.");
    const secret = group.tools.find(({ definition }) => definition.function.name === "secret");
    assert.equal(secret?.hidden, true);
    const unapproved = scriptGroup(scriptFile(join(folder, "other.py"), python), {
      run: async () => ({ value: null }),
      approved: undefined,
    });
    assert.ok(unapproved.tools.every((tool) => !("final" in tool) && !("hidden" in tool)));
  });
});
