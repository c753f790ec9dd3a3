import { createHash } from "node:crypto";
import type { ToolContext } from "@capstan/core";
import type { FormData } from "undici";
import type { FieldEncoding, Operation, OperationBody } from "../definition/operation.ts";
import { CallProblem } from "./call-problem.ts";
import { textOfValue, writeQueryValue } from "./write-parameter.ts";

/** The largest file that a request sends, in bytes. */
const largestFile = 50 * 1024 * 1024;

/**
 * The body of a request with its content type. The content type of a form is set by its `FormData`.
 */
export interface WrittenBody {
  readonly body: string | Uint8Array | FormData;
  readonly contentType?: string;
  /** The files in the body. @default none */
  readonly files?: readonly SentFile[];
}

/** A file that a request sends. */
export interface SentFile {
  readonly field: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/**
 * Writes the argument `body` in the operation's content type. Files are read from the conversation.
 *
 * @throws CallProblem
 */
export async function writeBody(
  operation: Operation,
  value: unknown,
  context: Pick<ToolContext, "files" | "signal">,
): Promise<WrittenBody | undefined> {
  const { body } = operation;
  if (body === undefined || value === undefined) return undefined;
  const { contentType } = body;
  switch (body.kind) {
    case "json":
      return { body: JSON.stringify(value), contentType };
    case "text":
      return { body: textOfValue(value), contentType: withCharset(contentType) };
    case "form":
      return { body: formText(body, value), contentType };
    case "file": {
      const file = await readFile(value, "body", context);
      return {
        body: file.bytes,
        contentType: isWild(contentType) ? file.type : contentType,
        files: [file.sent],
      };
    }
    case "multipart":
      return multipart(body, value, context);
  }
}

function formText(body: OperationBody, value: unknown): string {
  return Object.entries(objectOf(value))
    .filter(([, member]) => member !== undefined && member !== null)
    .flatMap(([name, member]) => fieldPairs(name, member, encodingOf(body, name)))
    .map((pair) => pair.join("="))
    .join("&");
}

function fieldPairs(name: string, member: unknown, encoding: FieldEncoding) {
  const { style, explode, contentType } = encoding;
  const isNested = typeof member === "object" && !Array.isArray(member);
  const json = (contentType !== undefined || isNested) && style === undefined;
  return writeQueryValue(
    {
      name,
      style: json && typeof member === "object" ? "json" : (style ?? "form"),
      explode: explode ?? (style === undefined || style === "form" || style === "deepObject"),
    },
    member,
  );
}

async function multipart(
  body: OperationBody,
  value: unknown,
  context: Pick<ToolContext, "files" | "signal">,
): Promise<WrittenBody> {
  // The library's own class, which its `fetch` requires.
  const { FormData: Form } = await import("undici");
  const form = new Form();
  const files: SentFile[] = [];
  for (const [name, member] of Object.entries(objectOf(value))) {
    if (member === undefined || member === null) continue;
    const items = Array.isArray(member) ? (member as readonly unknown[]) : [member];
    const encoding = encodingOf(body, name);
    for (const item of items) {
      if (body.files?.includes(name) === true) {
        const { bytes, type, sent } = await readFile(item, name, context);
        files.push(sent);
        form.append(name, new Blob([bytes], { type: encoding.contentType ?? type }), sent.name);
      } else if (encoding.contentType !== undefined || (typeof item === "object" && item !== null))
        form.append(
          name,
          new Blob([textOfValue(item)], { type: encoding.contentType ?? "application/json" }),
        );
      else form.append(name, textOfValue(item));
    }
  }
  return { body: form, files };
}

interface ReadFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly sent: SentFile;
}

async function readFile(
  named: unknown,
  field: string,
  { files, signal }: Pick<ToolContext, "files" | "signal">,
): Promise<ReadFile> {
  const wanted = typeof named === "string" ? named.trim() : "";
  const file =
    files.find(({ id }) => id !== undefined && id === wanted) ??
    files.findLast(({ name }) => name === wanted);
  if (file === undefined) {
    const known = files
      .slice(-10)
      .map(({ id, name }) => (id === undefined ? name : `${id} (${name})`));
    throw new CallProblem(
      `${field}: the conversation has no file "${wanted.slice(0, 100)}". ${known.length === 0 ? "It has no files." : `It has ${known.join(", ")}.`}`,
    );
  }
  const bytes = new Uint8Array(await file.read(signal));
  if (bytes.length > largestFile)
    throw new CallProblem(
      `${field}: ${file.name} has ${bytes.length} bytes; at most ${largestFile} are sent.`,
    );
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const sent = { field, name: file.name, size: bytes.length, sha256 };
  return { bytes, type: file.mimeType, sent };
}

function encodingOf({ encoding = {} }: OperationBody, field: string): FieldEncoding {
  return Object.hasOwn(encoding, field) ? (encoding[field] ?? {}) : {};
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function isWild(contentType: string): boolean {
  return contentType.includes("*") || contentType === "application/octet-stream";
}

function withCharset(contentType: string): string {
  return /charset=/i.test(contentType) ? contentType : `${contentType}; charset=utf-8`;
}
