import type { ContentPart, JsonObject, Message } from "@capstan/core";
import type { FileRecord, NewRun, Store } from "@capstan/store";
import { NamedFile } from "../http/files/stored-files.ts";
import type { MessageView } from "./message-view.ts";
import type { Attachment } from "./request/tool-resources.ts";

/** Messages of a thread as a model reads them, and the bytes to which they refer. */
export interface ModelMessages {
  readonly messages: readonly Message[];
  readonly blobs: NonNullable<NewRun["blobs"]>;
}

interface MessageOptions {
  readonly store: Pick<Store, "readFiles">;
  readonly owner: string;
  /** The hosted types that the run offers: their tools read attachments of these types. */
  readonly offered: readonly string[];
}

/**
 * Returns messages of a thread as a model reads them. An attachment that no offered tool reads is
 * given to the model itself. A text replaces a file that was deleted.
 */
export async function modelMessages(
  views: readonly MessageView[],
  { store, owner, offered }: MessageOptions,
): Promise<ModelMessages> {
  const ids = new Set(views.flatMap(fileIds));
  const files = ids.size === 0 ? new Map() : await store.readFiles({ owner, ids: [...ids] });
  const blobs = new Map<string, NonNullable<NewRun["blobs"]>[number]>();
  const named = (id: string): NamedFile | undefined => {
    const record = (files as ReadonlyMap<string, FileRecord>).get(id);
    if (record === undefined) return undefined;
    const { name, mimeType, sha256, bytes: size } = record;
    const file = new NamedFile({ id, name, mimeType, sha256, size });
    blobs.set(sha256, file.blob);
    return file;
  };
  const messages = views.map((view): Message => {
    const parts = [
      ...contentOf(view).flatMap((block) => blockPart(block, named)),
      ...attachmentsOf(view).map((each) => attachmentPart(each, named, offered)),
    ];
    if (view["role"] === "assistant") return { role: "assistant", content: textOf(parts) };
    const isText = parts.every(({ type }) => type === "text");
    return { role: "user", content: isText ? textOf(parts) : parts };
  });
  return { messages, blobs: [...blobs.values()] };
}

function contentOf(view: MessageView): readonly JsonObject[] {
  return view["content"] as readonly JsonObject[];
}

function attachmentsOf(view: MessageView): readonly Attachment[] {
  return view["attachments"] as unknown as readonly Attachment[];
}

function fileIds(view: MessageView): readonly string[] {
  return [
    ...contentOf(view).flatMap((block) => {
      const image = block["image_file"] as { readonly file_id: string } | undefined;
      return image === undefined ? [] : [image.file_id];
    }),
    ...attachmentsOf(view).map(({ file_id: id }) => id),
  ];
}

type Named = (id: string) => NamedFile | undefined;

type Detail = "auto" | "low" | "high";

function blockPart(block: JsonObject, named: Named): readonly ContentPart[] {
  switch (block["type"]) {
    case "text":
      return [{ type: "text", text: (block["text"] as { readonly value: string }).value }];
    case "refusal":
      return [{ type: "text", text: block["refusal"] as string }];
    case "image_url": {
      const { url, detail } = block["image_url"] as {
        readonly url: string;
        readonly detail: Detail;
      };
      return [{ type: "image", mimeType: "image/*", detail, source: { type: "url", url } }];
    }
    case "image_file": {
      const { file_id: id, detail } = block["image_file"] as {
        readonly file_id: string;
        readonly detail: Detail;
      };
      const file = named(id);
      if (file === undefined) return [deleted(id)];
      const { mimeType, source, name } = file;
      return [{ type: "image", mimeType, detail, source, name, fileId: id }];
    }
    default:
      return [];
  }
}

function attachmentPart(
  { file_id: id, tools }: Attachment,
  named: Named,
  offered: readonly string[],
): ContentPart {
  const file = named(id);
  if (file === undefined) return deleted(id);
  const { name, mimeType, source } = file;
  if (tools.length > 0 && tools.every(({ type }) => offered.includes(type)))
    return { type: "text", text: `[Attached file: ${name} (${id})]` };
  return mimeType.startsWith("image/")
    ? { type: "image", mimeType, source, name, fileId: id }
    : { type: "file", name, mimeType, source, fileId: id };
}

function deleted(id: string): ContentPart {
  return { type: "text", text: `[The file ${id} was deleted.]` };
}

function textOf(parts: readonly ContentPart[]): string {
  return parts
    .map((part) =>
      part.type === "text" ? part.text : part.type === "file" ? `[${part.name}]` : `[${part.type}]`,
    )
    .join("\n");
}
