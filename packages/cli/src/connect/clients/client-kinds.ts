import type { JsonObject, JsonValue } from "@capstan/core";
import { connectTexts } from "../../texts/connect.ts";
import { isObject } from "../formats/config-format.ts";
import { jsoncFormat } from "../formats/jsonc-format.ts";
import { tomlFormat } from "../formats/toml-format.ts";
import { yamlFormat } from "../formats/yaml-format.ts";
import type { ClientKind, CommandTarget, HttpTarget, WrittenTarget } from "./client.ts";
import { settingsFolders } from "./client-paths.ts";

/** The name under which clients list the server and its tools. */
const serverName = "capstan";

const bearer = ({ key }: HttpTarget) => ({ Authorization: `Bearer ${key}` });
const started = ({ command, args }: CommandTarget) => ({ command, args: [...args] });

const next = connectTexts.next;

/** The supported clients, in the order in which the help lists them. */
export const clientKinds: readonly ClientKind[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    format: jsoncFormat,
    file({ environment, ...machine }) {
      const { home, join } = settingsFolders({ environment, ...machine });
      return join(environment["CLAUDE_CONFIG_DIR"] || home, ".claude.json");
    },
    path: ["mcpServers", serverName],
    command: (target) => ({ type: "stdio", ...started(target), env: {} }),
    http: (target) => ({ type: "http", url: target.url, headers: bearer(target) }),
    keepsKey: "file",
    targetOf: (entry) => readTarget(entry, { headers: "headers" }),
    next: next.newSession,
  },
  {
    name: "claude-desktop",
    title: "Claude Desktop",
    format: jsoncFormat,
    file(machine) {
      const { application, join } = settingsFolders(machine);
      return join(application, "Claude", "claude_desktop_config.json");
    },
    path: ["mcpServers", serverName],
    command: started,
    keepsKey: "file",
    targetOf: (entry) => readTarget(entry, { headers: "headers" }),
    next: next.restart,
  },
  {
    name: "codex",
    title: "Codex",
    format: tomlFormat,
    file({ environment, ...machine }) {
      const { home, join } = settingsFolders({ environment, ...machine });
      return join(environment["CODEX_HOME"] || join(home, ".codex"), "config.toml");
    },
    path: ["mcp_servers", serverName],
    command: (target) => ({ ...started(target), ...codexOptions }),
    http: (target) => ({ url: target.url, http_headers: bearer(target), ...codexOptions }),
    keepsKey: "file",
    targetOf: (entry) => readTarget(entry, { headers: "http_headers" }),
    next: next.newSession,
  },
  {
    name: "vscode",
    title: "VS Code",
    format: jsoncFormat,
    file(machine) {
      const { application, join } = settingsFolders(machine);
      return join(application, "Code", "User", "mcp.json");
    },
    path: ["servers", serverName],
    command: (target) => ({ type: "stdio", ...started(target) }),
    http: (target) => ({ type: "http", url: target.url, headers: bearer(target) }),
    keepsKey: "asked",
    input: (id) => ({
      type: "promptString",
      id,
      description: connectTexts.inputTitle,
      password: true,
    }),
    targetOf: (entry) => readTarget(entry, { headers: "headers" }),
    next: next.vscode,
  },
  {
    name: "cursor",
    title: "Cursor",
    format: jsoncFormat,
    file(machine) {
      const { home, join } = settingsFolders(machine);
      return join(home, ".cursor", "mcp.json");
    },
    path: ["mcpServers", serverName],
    command: started,
    http: (target) => ({ url: target.url, headers: bearer(target) }),
    keepsKey: "file",
    targetOf: (entry) => readTarget(entry, { headers: "headers" }),
    next: next.cursor,
  },
  {
    name: "zed",
    title: "Zed",
    format: jsoncFormat,
    file(machine) {
      const { config, join } = settingsFolders(machine);
      return join(config, machine.platform === "win32" ? "Zed" : "zed", "settings.json");
    },
    path: ["context_servers", serverName],
    command: (target) => ({ source: "custom", ...started(target), env: {} }),
    http: (target) => ({ url: target.url, headers: bearer(target) }),
    keepsKey: "file",
    targetOf: (entry) => readTarget(entry, { headers: "headers" }),
    next: next.atOnce,
  },
  {
    name: "goose",
    title: "Goose",
    format: yamlFormat,
    file(machine) {
      const { config, join } = settingsFolders(machine);
      return machine.platform === "win32"
        ? join(config, "Block", "goose", "config", "config.yaml")
        : join(config, "goose", "config.yaml");
    },
    path: ["extensions", serverName],
    command: ({ command, args }) => ({
      ...gooseOptions,
      type: "stdio",
      cmd: command,
      args: [...args],
    }),
    http: (target) => ({
      ...gooseOptions,
      type: "streamable_http",
      uri: target.url,
      headers: bearer(target),
    }),
    keepsKey: "file",
    targetOf: (entry) => readTarget(entry, { headers: "headers", url: "uri", command: "cmd" }),
    next: next.newSession,
  },
];

/** Capstan requests approvals itself, so this entry disables those of Codex. */
const codexOptions: JsonObject = { default_tools_approval_mode: "approve" };

const gooseOptions: JsonObject = {
  enabled: true,
  name: serverName,
  description: connectTexts.extensionTitle,
  timeout: 300,
};

/** Reads the target of an entry with these member names. */
function readTarget(
  entry: JsonValue,
  names: { readonly headers: string; readonly url?: string; readonly command?: string },
): WrittenTarget | undefined {
  if (!isObject(entry)) return undefined;
  const url = entry[names.url ?? "url"];
  const command = entry[names.command ?? "command"];
  const args = entry["args"];
  if (typeof url === "string") {
    const headers = entry[names.headers];
    const header = isObject(headers) ? headers["Authorization"] : undefined;
    const key = typeof header === "string" ? /^Bearer ([^$]\S*)$/.exec(header)?.[1] : undefined;
    return { type: "http", url, key };
  }
  if (typeof command !== "string" || !Array.isArray(args)) return undefined;
  return { type: "stdio", command, args: args.filter((arg) => typeof arg === "string") };
}
