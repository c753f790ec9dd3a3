import type { JsonObject, JsonSchema } from "../src/base/json.ts";

/** Arguments that a model wrote for a tool, from a public report. */
export interface ReportedArguments {
  readonly source: string;
  readonly schema: JsonSchema;
  readonly text: string;
  /** The only possible meaning; absent if it is not certain. */
  readonly meant?: JsonObject;
}

const text = { type: "string" };
const texts = { type: "array", items: text };
const takes = (properties: JsonSchema, required = Object.keys(properties)): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** From public issue threads, in the reported form; some with shorter values. */
export const reportedArguments: readonly ReportedArguments[] = [
  {
    source: "https://github.com/anomalyco/opencode/issues/1264",
    schema: takes({ todos: { type: "array", items: takes({ content: text, status: text }) } }),
    text: `{"todos": [{'content': 'Add\ninput field', 'status':\n'completed'}]}`,
    meant: { todos: [{ content: "Add\ninput field", status: "completed" }] },
  },
  {
    source: "https://github.com/waybarrios/vllm-mlx/issues/63",
    schema: takes({ query: texts }),
    text: `{"query": "['python', 'tutorial']"}`,
    meant: { query: ["python", "tutorial"] },
  },
  {
    source: "https://github.com/waybarrios/vllm-mlx/issues/63",
    schema: takes({ settings: { type: "object" } }),
    text: `{"settings": "{'theme': 'dark', 'size': 14}"}`,
    meant: { settings: { theme: "dark", size: 14 } },
  },
  {
    source: "https://github.com/IBM/mcp-context-forge/issues/620",
    schema: takes({ servers: { type: "array", items: { type: "object" } } }),
    text: `{"servers": "[{'host': '8.8.8.8', 'responds_to_icmp': True}]"}`,
    meant: { servers: [{ host: "8.8.8.8", responds_to_icmp: true }] },
  },
  {
    source: "https://github.com/OpenHands/software-agent-sdk/issues/2488",
    schema: takes({
      command: text,
      path: text,
      view_range: { type: "array", items: { type: "integer" } },
    }),
    text: String.raw`{"command": "view", "path": "/workspace/query.py", "view_range": \n[2142, 2250]\n\n}`,
    meant: { command: "view", path: "/workspace/query.py", view_range: [2142, 2250] },
  },
  {
    source: "https://github.com/yigit353/langchain-qwq/issues/30",
    schema: takes({ city: text }),
    text: '{"city": "Berlin"}}',
    meant: { city: "Berlin" },
  },
  {
    source: "https://github.com/QwenLM/Qwen-Agent/issues/734",
    schema: takes({}),
    text: "{}}",
    meant: {},
  },
  {
    source: "https://github.com/rhesis-ai/rhesis/pull/2488",
    schema: takes({ name: text, prompt: text }),
    text: '{"name": "Clarity", "prompt": "Rate the answer.\n\n1 is unclear,\t5 is clear."}',
    meant: { name: "Clarity", prompt: "Rate the answer.\n\n1 is unclear,\t5 is clear." },
  },
  {
    source: "https://github.com/ur-whitelab/MDCrow/pull/124",
    schema: takes({ topology_fileid: text, trajectory_fileid: text }),
    text: '{"input": {"topology_fileid": "top_0", "trajectory_fileid": "rec_0"}}',
    meant: { topology_fileid: "top_0", trajectory_fileid: "rec_0" },
  },
  {
    source: "https://github.com/NousResearch/hermes-agent/pull/84063",
    schema: takes({ urls: texts }),
    text: '{"urls": "https://example.org/a?b=1"}',
    meant: { urls: ["https://example.org/a?b=1"] },
  },
  {
    source: "https://github.com/Miso2233/SonettoHere/issues/319",
    schema: takes({ todos: { type: "array", items: takes({ content: text, status: text }) } }),
    text: '{"todos": "[{\\"content\\": \\"写报告\\", \\"status\\": \\"pending\\"}]"}',
    meant: { todos: [{ content: "写报告", status: "pending" }] },
  },
  {
    source: "https://github.com/NousResearch/atropos/issues/478",
    schema: takes({ query: text }),
    text: `{"query": "what's the weather"}`,
    meant: { query: "what's the weather" },
  },
  {
    source: "https://github.com/openai/openai-agents-js/issues/664",
    schema: takes({}),
    text: "",
    meant: {},
  },
  // The meaning of the following arguments is not certain: a general repair converts each to a
  // valid call.
  {
    source: "https://github.com/NousResearch/atropos/issues/478",
    schema: takes({ query: text }),
    text: `{'query': 'what's the weather'}`,
  },
  {
    source: "https://github.com/Miso2233/SonettoHere/pull/320",
    schema: takes({ labels: texts }),
    text: `{"labels": "('a', 'b')"}`,
  },
  {
    source: "https://github.com/NousResearch/hermes-agent/pull/115107",
    schema: takes({ operations: { type: "array", items: { type: "object" } } }),
    text: '{"operations": [{"action": "patch", "file_path": "references/x.md"',
  },
  {
    source: "https://github.com/NousResearch/hermes-agent/pull/115107",
    schema: takes({ a: { type: "array", items: { type: "integer" } } }),
    text: '{"a": [1, 2',
  },
  {
    source: "https://github.com/simonw/llm/pull/1130",
    schema: takes({ x: { type: "integer" }, y: { type: "integer" } }),
    text: '{"x": 3, "y": 2}{"x": 3, "y": 2}',
  },
  {
    source: "https://github.com/Tencent/WeKnora/pull/2952",
    schema: takes({}),
    text: '{}""',
  },
  {
    source: "https://github.com/tinyhumansai/tinyagents/pull/68",
    schema: takes({ guild_id: text }),
    text: '{{guild_id:"Y"}}',
  },
  {
    source: "https://github.com/tinyhumansai/tinyagents/pull/68",
    schema: takes({ names: texts }),
    text: '{"names": [<|">discord<|">]}',
  },
  {
    source: "https://github.com/FANATFANATA/DanyAPI/pull/3",
    schema: takes({ edits: { type: "array", items: { type: "object" } } }),
    text: '{"edits": [{"path": "/file.py"]}',
  },
  {
    source: "https://github.com/crewAIInc/crewAI/issues/611",
    schema: takes({ items: texts }),
    text: '{"items": "[first, second]"}',
  },
];
