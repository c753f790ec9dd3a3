import assert from "node:assert/strict";
import { test } from "node:test";
import { createApi, groupTool } from "./api.ts";
import { createServerFolder, readLedger, startServerProcess } from "./server-process.ts";
import { toyServer } from "./server-scripts.ts";
import { startUpstream, type UpstreamAnswer } from "./upstream.ts";

interface Item {
  readonly type: string;
  readonly id: string;
  readonly call_id?: string;
  readonly output?: string;
}

interface ResponseBody {
  readonly id: string;
  readonly status: string;
  readonly output: readonly Item[];
}

const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
const mixed: UpstreamAnswer = {
  calls: [
    call("Mine", { n: 1 }),
    call("Record", { line: "server's" }),
    call("Mine", { n: 2 }),
    call("Append", { line: "asked" }),
    call("Mine", { n: 3 }),
  ],
};
const tools = [
  { type: "function", name: "Mine", parameters: { type: "object" } },
  groupTool("toys"),
];

/**
 * Returns a response that, after a restart, waits for three outputs of its client and an approval.
 */
async function waitingForClient() {
  const resources = new AsyncDisposableStack();
  const upstream = resources.use(
    await startUpstream((_request, index) => (index === 0 ? mixed : { say: ["Done."] })),
  );
  const folder = resources.use(await createServerFolder());
  const start = async () => {
    const { environment } = upstream;
    const server = await startServerProcess({ folder, script: toyServer, environment });
    resources.use(server);
    return { server, api: createApi(server.url) };
  };
  const first = await start();
  const model = "custom/scripted";
  const body = { model, tools, input: "Go." };
  const asked = await first.api.request<ResponseBody>("POST", "/v1/responses", body);
  await first.server.kill();
  const { api } = await start();
  return {
    folder,
    asked,
    ids: asked.output.flatMap(({ type, call_id }) => (type === "function_call" ? [call_id] : [])),
    goOn: (input: readonly object[]) =>
      api.request<ResponseBody>("POST", "/v1/responses", {
        model,
        tools,
        input,
        previous_response_id: asked.id,
      }),
    /** The outputs of the response's five calls, as the model read them. */
    results: () =>
      upstream.requests
        .at(-1)
        ?.messages.filter(({ role }) => role === "tool")
        .map(({ content }) => String(content)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const output = (call_id: string | undefined, n: number) => ({
  type: "function_call_output",
  call_id,
  output: `client's ${n}`,
});

// Contract: loop-63
test("in a round with client tools, a server tool and an approval, the server's call runs first and the others are answered in any order", async () => {
  await using waiting = await waitingForClient();
  const { asked, ids, goOn, results, folder } = waiting;
  assert.deepEqual(asked.output.map(({ type }) => type).toSorted(), [
    "function_call",
    "function_call",
    "function_call",
    "mcp_approval_request",
    "mcp_call",
    "mcp_list_tools",
  ]);
  assert.equal(asked.output.find(({ type }) => type === "mcp_call")?.output, "recorded server's");
  assert.deepEqual(await readLedger(folder), ["server's"]);
  const question = asked.output.find(({ type }) => type === "mcp_approval_request");
  const { status } = await goOn([
    output(ids[2], 3),
    { type: "mcp_approval_response", approval_request_id: question?.id, approve: true },
    output(ids[0], 1),
    output(ids[1], 2),
  ]);
  assert.equal(status, "completed");
  assert.deepEqual(results(), [
    "client's 1",
    "recorded server's",
    "client's 2",
    "recorded asked",
    "client's 3",
  ]);
  assert.deepEqual(await readLedger(folder), ["server's", "asked"]);
});

// Contract: loop-63
test("calls without a client's answer are reported as unanswered, and every call has a result", async () => {
  await using waiting = await waitingForClient();
  const { ids, goOn, results, folder } = waiting;
  await assert.rejects(goOn([output("call_nobody", 1)]), /No tool call found/);
  assert.equal((await goOn([output(ids[1], 2)])).status, "completed");
  const unanswered = /^Error \(cancelled\): .* not answered before the conversation continued/;
  const [first, server, second, asked, third] = results() ?? [];
  assert.deepEqual([server, second], ["recorded server's", "client's 2"]);
  for (const text of [first, asked, third]) assert.match(text ?? "", unanswered);
  assert.deepEqual(await readLedger(folder), ["server's"]);
  // Another branch of the same response gets the other answers.
  await goOn([output(ids[0], 1), output(ids[2], 3)]);
  assert.deepEqual(results()?.slice(0, 2), ["client's 1", "recorded server's"]);
  assert.deepEqual(await readLedger(folder), ["server's"]);
});
