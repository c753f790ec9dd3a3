import type { ConversationView, RunWithEvents } from "@capstan/contract";
import { client } from "../api/client.ts";
import { inputFiles } from "../attachments/input-files.ts";
import { foldStoredEvents } from "../run/fold-run-event.ts";
import { saveFile } from "../shell/save-file.ts";
import { branchOf } from "../state/branches.ts";
import { titleOf } from "../state/conversation-list.ts";
import { exportTexts } from "../texts/export.ts";
import { conversationMarkdown } from "./conversation-markdown.ts";
import { createUniqueNames, safeName } from "./file-names.ts";

/** The form of an exported chat. */
export type ExportFormat = "markdown" | "json" | "zip";

/** The maximum size of an archive's files in bytes, because the browser holds them in memory. */
const maxFileBytes = 500_000_000;

/**
 * Downloads a chat as a file: its newest branch as Markdown, or all branches with all events as
 * JSON, or both with all files as a ZIP archive.
 *
 * @throws Error if the chat cannot be read, or its files are too large
 */
export async function exportConversation(id: string, format: ExportFormat): Promise<void> {
  const chat = { conversation: await client.conversation(id), runs: await wholeRuns(id) };
  const name = safeName(titleOf(chat.conversation), "chat");
  if (format === "markdown") {
    saveFile(`${name}.md`, new Blob([markdownOf(chat)], { type: "text/markdown" }));
  } else if (format === "json") {
    saveFile(`${name}.json`, new Blob([jsonOf(chat)], { type: "application/json" }));
  } else {
    saveFile(`${name}.zip`, new Blob([await archiveOf(chat)], { type: "application/zip" }));
  }
}

interface Chat {
  readonly conversation: ConversationView;
  readonly runs: readonly RunWithEvents[];
}

/** Returns the runs of a chat with their whole inputs. Lists may contain only a part of them. */
async function wholeRuns(id: string): Promise<readonly RunWithEvents[]> {
  const runs: RunWithEvents[] = [];
  for (const run of await client.runs(id))
    runs.push(
      run.input_cut ? { ...run, input: await client.runInput(run.id), input_cut: false } : run,
    );
  return runs;
}

function markdownOf(
  { conversation, runs }: Chat,
  fileAddresses?: ReadonlyMap<string, string>,
): string {
  const states = runs.map((view) => ({
    view,
    state: foldStoredEvents(view.events, view.last_seq),
  }));
  return conversationMarkdown({
    title: titleOf(conversation),
    runs: branchOf(states, null),
    ...(fileAddresses && { fileAddresses }),
  });
}

function jsonOf({ conversation, runs }: Chat): string {
  const exported = { object: "conversation.export", version: 1, conversation, runs };
  return JSON.stringify(exported, null, 2);
}

async function archiveOf(chat: Chat): Promise<Uint8Array<ArrayBuffer>> {
  const { zip } = await import("fflate");
  const uniqueName = createUniqueNames();
  const listed = await client.files(chat.conversation.id);
  const names = new Map(listed.map(({ id, filename }) => [id, filename]));
  for (const { id, name } of inputFiles(chat.runs.flatMap(({ input }) => input)))
    if (id !== null && !names.has(id)) names.set(id, name);
  const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > maxFileBytes) throw new Error(exportTexts.tooLarge(bytes, maxFileBytes));
  const paths = new Map([...names].map(([id, name]) => [id, `files/${uniqueName(name)}`]));
  const encoder = new TextEncoder();
  const entries: { [path: string]: [Uint8Array, { level: 0 | 6 }] } = {
    "conversation.md": [encoder.encode(markdownOf(chat, paths)), { level: 6 }],
    "conversation.json": [encoder.encode(jsonOf(chat)), { level: 6 }],
  };
  for (const [id, path] of paths) {
    const content = await client.fileContent(id);
    entries[path] = [new Uint8Array(await content.arrayBuffer()), { level: 0 }];
  }
  return new Promise((resolve, reject) => {
    zip(entries, (error, data) => (error === null ? resolve(data) : reject(error)));
  });
}
