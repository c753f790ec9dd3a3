import type { Owned } from "./routes.ts";

const image = "data:image/png;base64,AAAA";
const grammar = { type: "grammar", syntax: "lark", definition: 'start: "a"+' };

/** Items and tools of every kind of the Responses API. The fuzzer changes them. */
export function itemVariants({ file, secret }: Owned): readonly object[] {
  const says = { role: "user", content: secret };
  const statedWith = (...items: readonly object[]) => ({ input: [says, ...items], store: false });
  const call = { call_id: "c1" };
  const patch = { type: "update_file", path: "a.txt", diff: "@@\n-a\n+b" };
  const outcome = { type: "exit", exit_code: 0 };
  return [
    {
      input: [
        {
          role: "user",
          content: [
            { type: "input_image", image_url: image, detail: "low" },
            { type: "input_image", file_id: file },
            { type: "input_file", filename: "a.txt", file_data: "data:text/plain;base64,QQ==" },
            { type: "input_video", video_url: "data:video/mp4;base64,AAAA" },
          ],
        },
      ],
    },
    statedWith(
      { type: "function_call", ...call, name: "f", arguments: "{}" },
      {
        type: "function_call_output",
        ...call,
        output: [{ type: "input_image", image_url: image }],
      },
    ),
    statedWith(
      { type: "custom_tool_call", ...call, name: "f", input: "a" },
      { type: "custom_tool_call_output", ...call, output: "b" },
    ),
    statedWith(
      { type: "apply_patch_call", ...call, operation: patch },
      { type: "apply_patch_call_output", ...call, output: "done" },
    ),
    statedWith(
      { type: "shell_call", ...call, action: { commands: ["ls"], timeout_ms: 5 } },
      { type: "shell_call_output", ...call, output: [{ stdout: "a", stderr: "", outcome }] },
    ),
    statedWith(
      { type: "local_shell_call", ...call, id: "lsh_1", action: { type: "exec", command: ["ls"] } },
      { type: "local_shell_call_output", id: "lsh_1", output: "a" },
    ),
    statedWith(
      { type: "tool_search_call", ...call, execution: "client", arguments: {} },
      { type: "tool_search_output", ...call, tools: [{ type: "function", name: "g" }] },
    ),
    statedWith({
      type: "additional_tools",
      tools: [{ type: "custom", name: "h", format: grammar }],
    }),
    statedWith({ type: "reasoning", summary: [], encrypted_content: "capstan1.AAAA" }),
    statedWith({ type: "mcp_call", server_label: "x", name: "y", arguments: "{}", output: "z" }),
    statedWith({ type: "tool_search_output", call_id: null, execution: "server", tools: [] }),
    {
      input: secret,
      tools: [{ type: "tool_search" }, { type: "function", name: "f", defer_loading: true }],
    },
    statedWith({ type: "code_interpreter_call", id: "ci", code: "1", outputs: [] }),
    statedWith({ type: "file_search_call", id: "fs", queries: ["a"], results: [] }),
    statedWith({ type: "image_generation_call", id: "ig", result: "AAAA" }),
    statedWith({ type: "compaction", encrypted_content: "capstan1.AAAA" }),
    {
      input: secret,
      tools: [
        { type: "custom", name: "c", format: grammar },
        { type: "namespace", name: "n", tools: [{ type: "function", name: "f", parameters: {} }] },
        { type: "shell" },
        { type: "apply_patch" },
        { type: "tool_search", execution: "client" },
        { type: "web_search" },
      ],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "custom", name: "c" }] },
      text: { format: { type: "json_schema", name: "s", schema: { type: "object" } } },
      include: ["reasoning.encrypted_content"],
      truncation: "auto",
      prompt_cache_key: "k",
      safety_identifier: "u",
    },
  ];
}

/** Parts and tools of every kind of the Chat Completions API. The fuzzer changes them. */
export function chatVariants({ file, secret }: Owned): readonly object[] {
  const called = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
  return [
    {
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: secret },
            { type: "image_url", image_url: { url: image, detail: "low" } },
            { type: "video_url", video_url: { url: "data:video/mp4;base64,AAAA" } },
            { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
            { type: "file", file: { filename: "a.txt", file_data: "data:text/plain;base64,QQ==" } },
            { type: "file", file: { file_id: file } },
          ],
        },
      ],
    },
    {
      messages: [
        { role: "user", content: secret },
        { role: "assistant", content: null, tool_calls: [called] },
        { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "a" }] },
        { role: "assistant", content: "", function_call: { name: "g", arguments: "{}" } },
        { role: "function", name: "g", content: "b" },
        { role: "user", content: "Continue." },
      ],
      n: 2,
      stop: ["x"],
      stream: true,
      stream_options: { include_usage: true },
      response_format: { type: "json_schema", json_schema: { name: "s", schema: {} } },
    },
    {
      messages: [{ role: "user", content: secret }],
      tools: [
        { type: "function", function: { name: "f", parameters: { type: "object" } } },
        {
          type: "custom",
          custom: {
            name: "c",
            format: { type: "grammar", grammar: { syntax: "regex", definition: "a+" } },
          },
        },
      ],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
      },
      max_completion_tokens: 5,
      logprobs: true,
      reasoning_effort: "low",
      modalities: ["text"],
    },
  ];
}
