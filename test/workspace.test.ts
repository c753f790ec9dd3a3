import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileView, ListView } from "@capstan/contract";
import { findSandbox } from "@capstan/sandbox";
import { type Api, createApi, eventsOf } from "./api.ts";
import { createServerFolder, startServerProcess } from "./server-process.ts";

const { problem } = await findSandbox();

// Contract: files-12
test(
  "a file that a command writes is a file of the conversation, and the next command reads it",
  { skip: problem?.message ?? false },
  async () => {
    await using folder = await createServerFolder({
      "capstan.config.json": JSON.stringify({ groups: { code: true } }),
    });
    await using server = await startServerProcess({ folder });
    const api = createApi(server.url);
    const { id: conversation } = await api.createConversation();
    const files = async () =>
      (await api.request<ListView<FileView>>("GET", "/v1/files")).data.map(
        ({ filename }) => filename,
      );
    await shell(api, conversation, 'printf "a,b" > "$WORKSPACE/table.csv"');
    assert.deepEqual(await files(), ["table.csv"]);
    const text = await shell(api, conversation, 'cat "$WORKSPACE/table.csv"');
    assert.match(text, /^a,b/);
    assert.deepEqual(await files(), ["table.csv"]);
    await api.request("DELETE", `/v1/conversations/${conversation}`);
    assert.deepEqual(await files(), []);
  },
);

/** Runs a command in a turn, and allows it. @returns the text of its result */
async function shell(api: Api, conversation: string, command: string): Promise<string> {
  const input = `/Shell ${JSON.stringify({ command })}`;
  const run = await api.startTurn({ conversation, input, groups: ["code"] });
  for await (const event of api.events(run)) {
    if (event.type !== "approval.requested") continue;
    await api.answer(event.approval.id, { decision: "allow" });
    break;
  }
  const events = await api.finishedEvents(run);
  return eventsOf(events, "call.settled")[0]?.result.finalText ?? "";
}
