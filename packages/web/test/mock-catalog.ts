import type { ModelView, ServerInfo, ToolGroupView, ToolView } from "@capstan/contract";
import type { MockServer } from "./mock-server.ts";

const model = (id: string, title: string, reason: string, isDefault: boolean): ModelView => ({
  id,
  object: "model",
  created: 0,
  owned_by: id.split("/")[0] ?? "",
  title,
  default: isDefault,
  reason,
});

export function modelsFor(mock: MockServer): ModelView[] {
  const real = mock.model === "real";
  return [
    model("capstan/offline", "Offline model", "no key was found", !real),
    model("openai/gpt-5.5", "GPT-5.5 (OpenAI)", "OPENAI_API_KEY is set", real),
    model("ollama/qwen3:8b", "qwen3:8b (Ollama)", "an Ollama answers on its usual port", false),
  ];
}

export function infoFor(mock: MockServer): ServerInfo {
  const chosen = modelsFor(mock).find((entry) => entry.default);
  return {
    object: "capstan",
    version: "0.1.0",
    model: { id: chosen?.id ?? "", reason: chosen?.reason ?? "" },
    authentication: mock.apiKey !== null,
    approvals_from: "anyone",
    rights: ["ask", "approve", "admin"],
    scripts: false,
    retention: { days: null, megabytes: null },
    providers: false,
    configuration_waits: false,
    sharing: false,
  };
}

const tool = (
  group: string,
  name: string,
  description: string,
  execution = "auto",
  more: Partial<ToolView> = {},
): ToolView => ({
  id: `${group}.${name}`,
  name,
  description,
  parameters: { type: "object" },
  default_enabled: true,
  always_offered: false,
  unavailable: null,
  execution,
  ...more,
});

const group = (
  name: string,
  title: string,
  description: string,
  on: boolean,
  tools: readonly ToolView[],
): ToolGroupView => ({
  name,
  object: "tool_group",
  title,
  description,
  default_enabled: on,
  tools,
});

export const toolGroups: readonly ToolGroupView[] = [
  group("files", "Files", "Looks at files inside the folders that were declared.", true, [
    tool("files", "ListFiles", "Lists the files and folders of a folder."),
    tool("files", "ViewFile", "Shows a file, or some lines of it."),
    tool("files", "FindFiles", "Finds files by a pattern of their names."),
    tool(
      "files",
      "SearchFiles",
      "Searches the text of files, with a pattern and with lines around what is found, and tells where it is.",
    ),
  ]),
  group("web", "Web", "Reads pages of the public web.", true, [
    tool(
      "web",
      "FetchWebPage",
      "Fetches a page and gives its readable text as Markdown.",
      "ask-once",
    ),
    tool("web", "SearchWeb", "Searches the web.", "ask-once", {
      unavailable: {
        needs: "a key for a search service",
        fix: "Set SEARCH_KEY to the key of a service that searches the web, or search.url to the address of a server that needs no key.",
      },
    }),
  ]),
  group("basic", "Basic", "Dates, text and JSON.", true, [
    tool("basic", "DateTime", "Tells the date and time, in any zone and format."),
    tool("basic", "Text", "Works on text: count, split, replace, sort."),
  ]),
  group("vars", "Variables", "Reads and writes the variables of the session.", false, [
    tool("vars", "ReadVar", "Reads a variable, or a part of it.", "auto", { always_offered: true }),
    tool("vars", "ListVars", "Lists the variables.", "auto", { always_offered: true }),
    tool("vars", "WriteVar", "Makes or changes a variable."),
  ]),
];
