import type { JsonObject, JsonValue } from "@capstan/core";
import type { RunRecord, ThreadObjectRecord } from "@capstan/store";
import { isObject } from "../http/errors.ts";
import type { CreatedMessage } from "./request/parse-message.ts";
import { wireRunId, wireThreadId } from "./run-wire.ts";

/** A message as the API shows it. */
export type MessageView = JsonObject & { readonly id: string };

/** A change of a user to a message that a run wrote. */
export interface MessageChange {
  readonly type: "changed";
  readonly metadata?: { readonly [key: string]: string };
  readonly isDeleted?: boolean;
}

/** Returns the data of a thread's object that is a message. */
export function messageData(record: ThreadObjectRecord): CreatedMessage | MessageChange {
  return record.data as unknown as CreatedMessage | MessageChange;
}

/** Returns a message that a client added, or undefined for a change of another message. */
export function createdView(record: ThreadObjectRecord): MessageView | undefined {
  const data = messageData(record);
  if (data.type !== "created") return undefined;
  const { role, content, attachments, metadata } = data;
  return view({
    id: record.id,
    threadId: wireThreadId(record.conversationId),
    at: record.createdAt,
    role,
    content,
    attachments: attachments as unknown as readonly JsonObject[],
    metadata,
  });
}

/** Returns a message with a user's changes, or undefined if it is deleted. */
export function changedView(
  message: MessageView,
  change: ThreadObjectRecord | undefined,
): MessageView | undefined {
  const data = change && messageData(change);
  if (data?.type !== "changed") return message;
  if (data.isDeleted === true) return undefined;
  return { ...message, metadata: data.metadata ?? message["metadata"] ?? {} };
}

/** Returns the messages in the input of a run that another API started. */
export function inputViews(run: RunRecord, input: readonly JsonValue[]): readonly MessageView[] {
  const suffix = run.id.replace(/^resp_/, "");
  return input.flatMap((item, index): MessageView[] => {
    if (!isObject(item)) return [];
    const { role, id } = item;
    if (role !== "user" && role !== "assistant") return [];
    const text = textOf(item["content"]);
    if (text === "") return [];
    return [
      view({
        id: typeof id === "string" && id !== "" ? id : `msg_${suffix}_${index}_in`,
        threadId: wireThreadId(run.conversationId ?? ""),
        at: run.createdAt,
        role,
        content: [{ type: "text", text: { value: text, annotations: [] } }],
        attachments: [],
        metadata: {},
        runId: wireRunId(run.id),
      }),
    ];
  });
}

/** Returns the text of an item's content. Images and files are named. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly unknown[])
    .flatMap((part) => {
      if (!isObject(part)) return [];
      const { text, type, filename } = part;
      if (typeof text === "string") return [text];
      if (typeof filename === "string") return [`[${filename}]`];
      return typeof type === "string" ? [`[${type.replace("input_", "")}]`] : [];
    })
    .join("\n");
}

function view({
  id,
  threadId,
  at,
  role,
  content,
  attachments,
  metadata,
  runId = null,
}: {
  readonly id: string;
  readonly threadId: string;
  readonly at: number;
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
  readonly attachments: readonly JsonObject[];
  readonly metadata: { readonly [key: string]: string };
  readonly runId?: string | null;
}): MessageView {
  const created = Math.floor(at / 1_000);
  return {
    id,
    object: "thread.message",
    created_at: created,
    assistant_id: null,
    thread_id: threadId,
    run_id: runId,
    role,
    content: [...content],
    attachments: [...attachments],
    metadata,
    status: "completed",
    completed_at: created,
    incomplete_at: null,
    incomplete_details: null,
  };
}
