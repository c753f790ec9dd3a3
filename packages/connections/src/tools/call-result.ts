import {
  type ContentPart,
  contentParts,
  type JsonSchema,
  type ToolError,
  toolError,
  withText,
} from "@capstan/core";
import { compileSchema, isUnchecked, loadSchemaChecks } from "@capstan/core/host";

/** The maximum number of parts that are used of a result. */
const mostParts = 200;
/** The maximum length of a server's error message, in characters. */
const longestFailure = 8_000;

type Raw = { readonly [key: string]: unknown };

/**
 * Turns a server's result into a tool's result: text and structured data, images, files and links.
 * Links are shown, never fetched. Parts that cannot be used are named in a note.
 *
 * @param raw the result as the server sent it, unchecked
 * @param outputSchema a mismatch only adds a note, because the call was carried out
 */
export async function callResult(raw: Raw, outputSchema?: JsonSchema): Promise<unknown> {
  const read = readParts(Array.isArray(raw["content"]) ? (raw["content"] as unknown[]) : []);
  const { parts, notes } = read;
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (raw["isError"] === true) return serverError(texts.join("\n"));
  const structured = raw["structuredContent"];
  if (structured !== undefined && outputSchema !== undefined) {
    const problem = await mismatch(structured, outputSchema);
    if (problem !== undefined)
      notes.push(`The structured result does not match the tool's own schema: ${problem}`);
  } else if (outputSchema !== undefined)
    notes.push("The tool declares a structured result, but the server sent none.");
  const note = notes.length === 0 ? "" : `\n\n[${[...new Set(notes)].join(" ")}]`;
  if (parts.some(({ type }) => type !== "text")) {
    const structuredText =
      structured === undefined || texts.length > 0 ? [] : [JSON.stringify(structured)];
    const more: ContentPart[] = [...structuredText, ...(note === "" ? [] : [note.trim()])].map(
      (text) => ({
        type: "text",
        text,
      }),
    );
    return contentParts([...parts, ...more]);
  }
  const text = texts.join("\n");
  if (structured !== undefined)
    return withText(structured, (text === "" ? JSON.stringify(structured) : text) + note);
  return note === "" ? text : withText(text, text + note);
}

function serverError(text: string): ToolError {
  const message =
    text.trim() === "" ? "The server reports that the call failed, without a reason." : text;
  return toolError({ code: "server_error", message: message.slice(0, longestFailure) });
}

async function mismatch(value: unknown, schema: JsonSchema): Promise<string | undefined> {
  await loadSchemaChecks();
  const compiled = compileSchema(schema);
  if (compiled.status === "refused") return undefined;
  const issues = compiled.validator.validate(value);
  const [issue] = issues;
  return issue === undefined || isUnchecked(issues)
    ? undefined
    : `${issue.path || "/"}: expected ${issue.expected}, got ${issue.received}.`;
}

/** Reads the content of a call's result, a resource or a prompt. */
export function readParts(content: readonly unknown[]): {
  readonly parts: ContentPart[];
  readonly notes: string[];
} {
  const notes: string[] = [];
  if (content.length > mostParts)
    notes.push(`Only the first ${mostParts} of ${content.length} parts are shown.`);
  const parts = content.slice(0, mostParts).flatMap((part): readonly ContentPart[] => {
    const read = isObject(part) ? partOf(part) : undefined;
    if (read === undefined) notes.push("A part of the result cannot be read, and was omitted.");
    return read === undefined ? [] : [read];
  });
  return { parts, notes };
}

function partOf(raw: Raw): ContentPart | undefined {
  const { type, text, data, mimeType } = raw;
  if (type === "text") return typeof text === "string" ? { type, text } : undefined;
  if (type === "image" && isBase64(data))
    return isType(mimeType) && mimeType.startsWith("image/")
      ? { type, mimeType, source: { type: "base64", data } }
      : undefined;
  if (type === "audio" && isBase64(data) && isType(mimeType))
    return filePart("audio", mimeType, data);
  if (type === "resource")
    return isObject(raw["resource"]) ? resourcePart(raw["resource"]) : undefined;
  if (type === "resource_link") return linkPart(raw);
  return undefined;
}

/** Reads the contents of a resource: a text, or a file. */
export function resourcePart(resource: Raw): ContentPart | undefined {
  const { uri, text, blob, mimeType } = resource;
  const name = typeof uri === "string" ? uri.slice(0, 2_000) : "resource";
  if (typeof text === "string") return { type: "text", text: `${name}:\n${text}` };
  if (!isBase64(blob)) return undefined;
  return filePart(
    name.split(/[/\\]/).at(-1)?.slice(0, 100) || "resource",
    isType(mimeType) ? mimeType : "application/octet-stream",
    blob,
  );
}

function linkPart({ uri, name, title, mimeType }: Raw): ContentPart | undefined {
  if (typeof uri !== "string" || uri.length > 2_000) return undefined;
  const shown = [title, name].find((one) => typeof one === "string" && one !== "");
  return {
    type: "link",
    url: uri,
    ...(typeof shown === "string" && { title: shown.slice(0, 200) }),
    ...(isType(mimeType) && { mimeType }),
  };
}

function filePart(name: string, mimeType: string, data: string): ContentPart {
  return { type: "file", name, mimeType, source: { type: "base64", data } };
}

function isType(value: unknown): value is string {
  return typeof value === "string" && /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:;.{0,80})?$/.test(value);
}

function isBase64(value: unknown): value is string {
  return typeof value === "string" && value !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
}

function isObject(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
