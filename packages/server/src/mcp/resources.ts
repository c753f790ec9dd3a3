import { readBack } from "@capstan/core/host";
import type { Variable } from "@capstan/core";
import { ProtocolError, ProtocolErrorCode, type Resource } from "../libraries/mcp-server.ts";
import type { McpParts } from "./call-tool.ts";
import { fileUri, parseResourceUri, resultUri, variableUri } from "./protocol/resource-uri.ts";

/** The number of files that the list contains, the newest first. */
const listedFiles = 100;

/** The largest file that a request reads, in bytes. */
const fileBytes = 10 * 1_048_576;

/** The longest text that a request reads, in characters. */
const textChars = 10 * 1_048_576;

/** Templates for the addresses of resources that are not listed. */
export const resourceTemplates = [
  {
    name: "variable",
    title: "A stored result or another variable",
    uriTemplate: variableUri("NAME").replace("NAME", "{name}"),
    mimeType: "text/plain",
  },
  {
    name: "result",
    title: "The full result of a call",
    uriTemplate: resultUri("{id}"),
    mimeType: "text/plain",
  },
  { name: "file", title: "A file", uriTemplate: fileUri("{id}") },
] as const;

/** Returns the variables and the newest files of a principal. */
export async function listResources(
  { services, conversations }: McpParts,
  owner: string,
): Promise<readonly Resource[]> {
  const { runs } = services;
  const conversation = await conversations.find(owner);
  const variables =
    conversation === undefined
      ? []
      : (await runs.variablesOf(conversation))
          .listVariables()
          .filter(({ type }) => type !== "RULE");
  const files = await runs.store.listFiles({ owner, limit: listedFiles });
  return [
    ...variables.map(({ name, desc, length }) => ({
      uri: variableUri(name),
      name,
      mimeType: "text/plain",
      size: length,
      ...(desc !== undefined && { description: desc }),
    })),
    ...files.data.flatMap((file) =>
      "mimeType" in file
        ? [{ uri: fileUri(file.id), name: file.name, mimeType: file.mimeType, size: file.bytes }]
        : [],
    ),
  ];
}

interface Contents {
  readonly uri: string;
  readonly mimeType: string;
}

/** @throws ProtocolError if the principal has no such resource, or if it is too large */
export async function readResource(
  parts: McpParts,
  owner: string,
  uri: string,
): Promise<{ contents: ((Contents & { text: string }) | (Contents & { blob: string }))[] }> {
  const address = parseResourceUri(uri);
  if (address?.type === "file")
    return { contents: [await readFile(parts, owner, address.id, uri)] };
  const variable =
    address === undefined
      ? undefined
      : address.type === "variable"
        ? await readVariable(parts, owner, address.name)
        : await readResult(parts, owner, address.runId);
  if (variable === undefined) throw notFound(uri);
  const { text } = variable.value;
  if (text.length > textChars) throw tooLarge(uri);
  return { contents: [{ uri, mimeType: "text/plain", text }] };
}

async function readVariable(
  { services, conversations }: McpParts,
  owner: string,
  name: string,
): Promise<Pick<Variable, "value"> | undefined> {
  const conversation = await conversations.find(owner);
  if (conversation === undefined) return undefined;
  const variables = await services.runs.variablesOf(conversation);
  if (variables.peekVariable(name)?.type === "RULE") return undefined;
  await readBack(variables, name);
  return variables.getVariable(name);
}

async function readResult(
  { services }: McpParts,
  owner: string,
  runId: string,
): Promise<Pick<Variable, "value"> | undefined> {
  const store = services.runs.stores.of(runId);
  const calls = (await store.readCalls({ owner, runId })) ?? [];
  const name = calls.find(({ call }) => call.parentCallId === undefined)?.call.result
    ?.cacheVarResult;
  const entry =
    name === undefined ? undefined : (await store.readManifest({ owner, runId }))?.[name];
  if (entry === undefined) return undefined;
  const value = entry.value ?? (await store.readValue({ owner, digest: entry.digest ?? "" }));
  return value && { value };
}

async function readFile(
  { services }: McpParts,
  owner: string,
  id: string,
  uri: string,
): Promise<(Contents & { text: string }) | (Contents & { blob: string })> {
  const { store } = services.runs;
  const file = await store.getFile({ owner, id });
  if (file === undefined) throw notFound(uri);
  if (file.bytes > fileBytes) throw tooLarge(uri);
  const bytes = await store.readBlob(file.sha256);
  if (bytes === undefined) throw notFound(uri);
  const { mimeType } = file;
  const contents = { uri, mimeType };
  const isText = /^(?:text\/|application\/(?:json|xml|javascript)$)/.test(mimeType);
  const data = Buffer.from(bytes);
  return isText
    ? { ...contents, text: data.toString("utf8") }
    : { ...contents, blob: data.toString("base64") };
}

function notFound(uri: string): ProtocolError {
  const message = `There is no resource "${uri.slice(0, 200)}" here. resources/list has the addresses of resources.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function tooLarge(uri: string): ProtocolError {
  const message = `The resource "${uri.slice(0, 200)}" is too large to read at once. Read a variable in parts with ReadVar, and a file through the HTTP API.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
