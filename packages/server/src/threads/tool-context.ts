import type { RequestTool, RequestTools } from "@capstan/core";
import type { FileRecord, NewRun, ToolContextData } from "@capstan/store";
import { toolContextOf } from "../http/tools/request-data.ts";
import type { Services } from "../http/services.ts";
import type { CreatedMessage } from "./request/parse-message.ts";
import {
  filesOfAttachments,
  filesOfResources,
  resourcesOfFiles,
  type ToolFiles,
} from "./request/tool-resources.ts";
import type { PreparedRun } from "./start-thread-run.ts";
import type { Thread } from "./thread.ts";

interface ToolContextOptions {
  readonly owner: string;
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly prepared: PreparedRun;
  readonly thread: Thread;
  /** All messages that clients have added to the thread. */
  readonly messages: readonly CreatedMessage[];
}

/**
 * Returns the data that the tools of a run get: the run's metadata, the tools with the resources of
 * the assistant and the thread, and the files of each type of tool. Deleted files are left out.
 */
export async function readToolContext(
  { runs: { store }, hostedTools = {} }: Services,
  { owner, headers, prepared, thread, messages }: ToolContextOptions,
): Promise<{
  readonly toolContext: ToolContextData;
  readonly blobs: NonNullable<NewRun["blobs"]>;
}> {
  const { hosted, request, assistant, tools } = prepared;
  const resources = mergedFiles(
    filesOfResources(assistant.fields.tool_resources),
    filesOfResources(thread.data.tool_resources),
  );
  const attached = filesOfAttachments(messages.flatMap(({ attachments }) => attachments));
  // The resources of `file_search` are vector stores, which its tool gets in its settings.
  const ids: { readonly [type: string]: readonly string[] } = {
    code_interpreter: union(resources.code_interpreter, attached.code_interpreter),
    file_search: attached.file_search ?? [],
  };
  const wanted = new Set(hosted.flatMap((type) => ids[type] ?? []));
  const found: ReadonlyMap<string, FileRecord> =
    wanted.size === 0 ? new Map() : await store.readFiles({ owner, ids: [...wanted] });
  const files = Object.fromEntries(
    hosted.map((type) => [type, (ids[type] ?? []).flatMap((id) => storedFile(found.get(id)))]),
  );
  const entries: RequestTools = Object.fromEntries(
    tools.flatMap((tool) => entryOf(tool as RequestTool, { hostedTools, resources })),
  );
  return {
    toolContext: toolContextOf({ metadata: request.metadata, headers, tools: entries, files }),
    blobs: [...found.values()].map(({ sha256, bytes: size }) => ({ sha256, size })),
  };
}

/** Returns the entry of a tool, by `group.Tool` or group, in the form of the Responses API. */
function entryOf(
  tool: RequestTool,
  {
    hostedTools,
    resources,
  }: { readonly hostedTools: NonNullable<Services["hostedTools"]>; readonly resources: ToolFiles },
): readonly (readonly [string, RequestTool])[] {
  const { type } = tool;
  if (type === "mcp") {
    const url = tool["server_url"];
    const group = typeof url === "string" ? /\/groups\/([^/?#]+)/.exec(url)?.[1] : undefined;
    return group === undefined ? [] : [[group, tool]];
  }
  const toolId = Object.hasOwn(hostedTools, type) ? hostedTools[type] : undefined;
  if (toolId === undefined) return [];
  const { code_interpreter: code, file_search: search } = resourcesOfFiles(resources) ?? {};
  const settings = tool["file_search"];
  return type === "file_search"
    ? [[toolId, { type, ...(settings as object), ...search }]]
    : [[toolId, { type, container: { type: "auto", ...code } }]];
}

function mergedFiles(a: ToolFiles, b: ToolFiles): ToolFiles {
  return {
    ...((a.code_interpreter ?? b.code_interpreter) !== undefined && {
      code_interpreter: union(a.code_interpreter, b.code_interpreter),
    }),
    ...((a.file_search ?? b.file_search) !== undefined && {
      file_search: union(a.file_search, b.file_search),
    }),
  };
}

function union(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  return [...new Set([...a, ...b])];
}

function storedFile(record: FileRecord | undefined): NonNullable<ToolContextData["files"]>[string] {
  if (record === undefined) return [];
  const { id, name, mimeType, sha256, bytes: size } = record;
  return [{ id, name, mimeType, sha256, size }];
}
