import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectionStatus } from "@capstan/connections";
import { findSandbox, installCommand, type Sandbox } from "@capstan/sandbox";
import { tryScript } from "../install/try-script.ts";
import { plainStyle } from "../terminal/style.ts";
import { defineTool, withNeed } from "@capstan/core";
import {
  checkSystem,
  describeConnection,
  describeFont,
  describePip,
  describeValues,
  missingNeeds,
} from "./doctor.ts";
import { renderChecks } from "./shared/render-checks.ts";

// Contract: sandbox-70
test("a missing program is shown with its purpose and the command that installs it", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "/nowhere";
  try {
    // Fonts are found in folders, not on PATH.
    const checks = (await checkSystem()).filter(({ name }) => name !== "font");
    assert.deepEqual(
      checks.map(({ name, status }) => `${name} ${status}`),
      ["sandbox", "python", "bash", "powershell", "browser"].map((name) => `${name} missing`),
    );
    for (const { fix, without } of checks) assert.ok(fix !== undefined && without !== "");
  } finally {
    process.env["PATH"] = path;
  }
});

test("a missing font for charts is shown with its effect and the command that installs it", () => {
  const found = describeFont("/usr/share/fonts/NotoSansCJK.ttc");
  assert.deepEqual([found.status, found.fix], ["ok", undefined]);
  const { status, fix, without } = describeFont(undefined);
  assert.equal(status, "missing");
  assert.match(fix ?? "", /noto/);
  assert.match(without, /boxes for Chinese/);
});

test("a Python without pip, and values encrypted with another secret key, are shown with a remedy", () => {
  assert.equal(describePip(undefined).status, "ok");
  const missing = describePip({ problem: "python3 has no pip", fix: "install pip" });
  assert.deepEqual([missing.status, missing.fix], ["missing", "install pip"]);
  const values = [
    { name: "WEATHER_KEY", setAt: 1, isReadable: false },
    { name: "REGION", setAt: 1, isReadable: true },
  ];
  const checks = describeValues(values).map(({ status, fix }) => [status, fix]);
  assert.deepEqual(checks, [["wrong", "capstan scripts environment set WEATHER_KEY"]]);
});

test("an installed program is shown with its path and without a command", async () => {
  const { problem } = await findSandbox();
  const [sandbox] = await checkSystem();
  assert.equal(sandbox?.status, problem === undefined ? "ok" : "missing");
  assert.equal(sandbox?.fix === undefined, problem === undefined);
});

// Contract: sandbox-70
test("an interpreter is called in the sandbox, and marked as wrong if it fails", async () => {
  const { sandbox, problem } = await findSandbox();
  if (problem === undefined) {
    const interpreter = "/usr/bin/python3";
    assert.equal(await tryScript({ language: "python", interpreter, sandbox }), undefined);
  }
  const failing: Sandbox = {
    kind: "bubblewrap",
    start: () => {
      throw new Error("namespaces are not allowed here");
    },
  };
  const options = { language: "python", interpreter: "/usr/bin/python3" } as const;
  assert.match(
    (await tryScript({ ...options, sandbox: failing })) ?? "",
    /namespaces are not allowed here/,
  );
});

test("the command uses this system's package manager and its name for the package", () => {
  const only = (name: string) => (program: string) => (program === name ? "/x" : undefined);
  const others = { pacman: "python" };
  assert.equal(
    installCommand("python3", others, only("apt-get")),
    "sudo apt-get install -y python3",
  );
  assert.equal(
    installCommand("python3", others, only("pacman")),
    "sudo pacman -S --noconfirm python",
  );
  assert.equal(installCommand("python3", others, only("none")), "Install python3.");
});

test("each program has a line, and missing ones have their effect and a remedy", () => {
  const text = renderChecks(
    [
      { name: "bash", status: "ok", detail: "/bin/bash", without: "No Shell." },
      { name: "sandbox", status: "missing", detail: "No bwrap.", without: "Asks.", fix: "get it" },
    ],
    plainStyle,
  );
  assert.equal(
    text,
    "bash     ok      /bin/bash\nsandbox  missing No bwrap.\n                 Asks.\n                 get it\n",
  );
});

test("a missing requirement of several tools has one line, which names them", () => {
  const tool = (name: string) => defineTool({ name, description: "", execute: () => "" });
  const key = { needs: "a key for Tavily", fix: "Set TAVILY_API_KEY." };
  const web = { name: "web", tools: [...withNeed(key, [tool("Search")]), tool("Fetch")] };
  const news = { name: "news", tools: withNeed({ ...key }, [tool("Read")]) };
  assert.deepEqual(missingNeeds([web, news]), [
    {
      name: "tools",
      status: "missing",
      detail: "web.Search, news.Read: needs a key for Tavily",
      without: "Models are not offered these tools.",
      fix: "Set TAVILY_API_KEY.",
    },
  ]);
});

test("the check of a connection names the operations that cannot be used", () => {
  const status: ConnectionStatus = {
    name: "pets",
    server: "petstore.yaml",
    state: "ready",
    tools: 2,
    waiting: [],
    notes: ["getPet: needs a credential for key."],
    missing: [],
    sessions: 0,
  };
  assert.equal(
    describeConnection(status).detail,
    "works: 2 tools. getPet: needs a credential for key.",
  );
  assert.equal(describeConnection({ ...status, notes: [] }).detail, "works: 2 tools");
  assert.equal(describeConnection({ ...status, error: "it is gone" }).status, "wrong");
});
