import assert from "node:assert/strict";
import { test } from "node:test";
import { editEntry, entryOf } from "../formats/config-format.ts";
import { clientKinds } from "./client-kinds.ts";
import type { Machine } from "./client-paths.ts";

const linux: Machine = { platform: "linux", home: "/home/ann", environment: {} };
const mac: Machine = { platform: "darwin", home: "/Users/ann", environment: {} };
const windows: Machine = {
  platform: "win32",
  home: "C:\\Users\\ann",
  environment: { APPDATA: "C:\\Users\\ann\\AppData\\Roaming" },
};

function filesOf(machine: Machine): { readonly [client: string]: string } {
  return Object.fromEntries(clientKinds.map(({ name, file }) => [name, file(machine)]));
}

test("each client's file is found on Linux, macOS and Windows", () => {
  assert.deepEqual(filesOf(linux), {
    "claude-code": "/home/ann/.claude.json",
    "claude-desktop": "/home/ann/.config/Claude/claude_desktop_config.json",
    codex: "/home/ann/.codex/config.toml",
    vscode: "/home/ann/.config/Code/User/mcp.json",
    cursor: "/home/ann/.cursor/mcp.json",
    zed: "/home/ann/.config/zed/settings.json",
    goose: "/home/ann/.config/goose/config.yaml",
  });
  assert.deepEqual(filesOf(mac), {
    "claude-code": "/Users/ann/.claude.json",
    "claude-desktop": "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json",
    codex: "/Users/ann/.codex/config.toml",
    vscode: "/Users/ann/Library/Application Support/Code/User/mcp.json",
    cursor: "/Users/ann/.cursor/mcp.json",
    zed: "/Users/ann/.config/zed/settings.json",
    goose: "/Users/ann/.config/goose/config.yaml",
  });
  assert.deepEqual(filesOf(windows), {
    "claude-code": "C:\\Users\\ann\\.claude.json",
    "claude-desktop": "C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    codex: "C:\\Users\\ann\\.codex\\config.toml",
    vscode: "C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\mcp.json",
    cursor: "C:\\Users\\ann\\.cursor\\mcp.json",
    zed: "C:\\Users\\ann\\AppData\\Roaming\\Zed\\settings.json",
    goose: "C:\\Users\\ann\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
  });
});

test("the variables by which clients move their files are respected", () => {
  const environment = {
    XDG_CONFIG_HOME: "/x",
    CODEX_HOME: "/c",
    CLAUDE_CONFIG_DIR: "/d",
  };
  const files = filesOf({ ...linux, environment });
  assert.deepEqual(
    [files["codex"], files["claude-code"], files["zed"], files["goose"], files["vscode"]],
    [
      "/c/config.toml",
      "/d/.claude.json",
      "/x/zed/settings.json",
      "/x/goose/config.yaml",
      "/x/Code/User/mcp.json",
    ],
  );
});

test("an entry is read back from the file as it was written, over HTTP and as a command", () => {
  const http = {
    type: "http",
    url: "http://127.0.0.1:8787/mcp",
    key: "capstan-program-x",
  } as const;
  const command = {
    type: "stdio",
    command: "C:\\Program Files\\node.exe",
    args: ["mcp", "--directory", "/a b/ü"],
  } as const;
  for (const kind of clientKinds) {
    const { format, path } = kind;
    const read = (text: string) => kind.targetOf(entryOf(format.read(text), path) ?? null);
    const stdio = editEntry(format, "", { path, value: kind.command(command) });
    assert.deepEqual(read(stdio), command, kind.name);
    if (kind.http === undefined) continue;
    const overHttp = editEntry(format, "", { path, value: kind.http(http) });
    assert.deepEqual(read(overHttp), http, kind.name);
  }
});
