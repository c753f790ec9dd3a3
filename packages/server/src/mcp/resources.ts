import { readBack } from "@capstan/core/host";
import type { Variable } from "@capstan/core";
import { ProtocolError, ProtocolErrorCode, type Resource } from "../libraries/mcp-server.ts";
import { RequestError } from "../http/errors.ts";
import type { McpParts } from "./call-tool.ts";
import type { Exchange } from "./protocol/exchange.ts";
import { fileUri, parseResourceUri, resultUri, variableUri } from "./protocol/resource-uri.ts";

/** The number of files that the list contains, the newest first. */
const listedFiles = 100;

/** The largest file that a request reads, in bytes, and the longest text, in characters. */
const mostBytes = 4 * 1_048_576;

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
  const known = (await conversations.variablesOf(owner))?.listVariables() ?? [];
  const variables = known.filter(({ type }) => type !== "RULE");
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

type ReadContents = (Contents & { text: string }) | (Contents & { blob: string });

/** A resource before it is read. */
interface FoundResource {
  /** The size of its contents: bytes of a file, or characters of a text. */
  readonly size: number;
  readonly read: () => Promise<ReadContents | undefined>;
}

/**
 * Reads a resource. Its size counts against the memory of the principal until it is written, and a
 * principal reads one resource at a time, because a batch of messages can read a hundred.
 *
 * @throws ProtocolError if the principal has no such resource, if it is too large, or if the
 * principal's memory is used up
 */
export async function readResource(
  parts: McpParts,
  { principal, readReserved }: Pick<Exchange, "principal" | "readReserved">,
  uri: string,
): Promise<{ contents: ReadContents[] }> {
  const found = await findResource(parts, principal, uri);
  if (found === undefined) throw notFound(uri);
  if (found.size > mostBytes) throw tooLarge(uri);
  const contents = await readReserved(found.size, found.read).catch((thrown: unknown) => {
    if (!(thrown instanceof RequestError)) throw thrown;
    throw new ProtocolError(ProtocolErrorCode.InternalError, thrown.message);
  });
  if (contents === undefined) throw notFound(uri);
  return { contents: [contents] };
}

async function findResource(
  parts: McpParts,
  owner: string,
  uri: string,
): Promise<FoundResource | undefined> {
  const address = parseResourceUri(uri);
  switch (address?.type) {
    case "file":
      return findFile(parts, owner, { id: address.id, uri });
    case "variable":
      return findVariable(parts, owner, { name: address.name, uri });
    case "result":
      return findResult(parts, owner, { runId: address.runId, uri });
    case undefined:
      return undefined;
  }
}

async function findVariable(
  { conversations }: McpParts,
  owner: string,
  { name, uri }: { readonly name: string; readonly uri: string },
): Promise<FoundResource | undefined> {
  const variables = await conversations.variablesOf(owner);
  if (variables === undefined) return undefined;
  const known = variables.peekVariable(name);
  if (known?.type === "RULE") return undefined;
  return {
    // The size of an evicted variable is unknown, so the largest one is reserved.
    size: known?.length ?? mostBytes,
    read: async () => {
      await readBack(variables, name);
      return textOf(variables.getVariable(name), uri);
    },
  };
}

function textOf(found: Pick<Variable, "value"> | undefined, uri: string): ReadContents | undefined {
  if (found === undefined) return undefined;
  const { text } = found.value;
  if (text.length > mostBytes) throw tooLarge(uri);
  return { uri, mimeType: "text/plain", text };
}

async function findResult(
  { services }: McpParts,
  owner: string,
  { runId, uri }: { readonly runId: string; readonly uri: string },
): Promise<FoundResource | undefined> {
  const store = services.runs.stores.of(runId);
  const calls = (await store.readCalls({ owner, runId })) ?? [];
  const name = calls.find(({ call }) => call.parentCallId === undefined)?.call.result
    ?.cacheVarResult;
  const entry =
    name === undefined ? undefined : (await store.readManifest({ owner, runId }))?.[name];
  if (entry === undefined) return undefined;
  return {
    size: entry.length,
    read: async () => {
      const value = entry.value ?? (await store.readValue({ owner, digest: entry.digest ?? "" }));
      return textOf(value && { value }, uri);
    },
  };
}

async function findFile(
  { services }: McpParts,
  owner: string,
  { id, uri }: { readonly id: string; readonly uri: string },
): Promise<FoundResource | undefined> {
  const { store } = services.runs;
  const file = await store.getFile({ owner, id });
  if (file === undefined) return undefined;
  const { mimeType, sha256, bytes: size } = file;
  return {
    size,
    read: async () => {
      const bytes = await store.readBlob(sha256);
      if (bytes === undefined) return undefined;
      const isText = /^(?:text\/|application\/(?:json|xml|javascript)$)/.test(mimeType);
      const data = Buffer.from(bytes);
      return isText
        ? { uri, mimeType, text: data.toString("utf8") }
        : { uri, mimeType, blob: data.toString("base64") };
    },
  };
}

function notFound(uri: string): ProtocolError {
  const message = `There is no resource "${uri.slice(0, 200)}" here. resources/list has the addresses of resources.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function tooLarge(uri: string): ProtocolError {
  const message = `The resource "${uri.slice(0, 200)}" is too large to read at once. Read a variable in parts with ReadVar, and a file through the HTTP API.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
