import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { ToolGroup } from "@capstan/core";
import { inTurns } from "@capstan/core/base";
import type { DefinitionFiles } from "../../accepted/definition-files.ts";
import type { CredentialSource } from "../../credentials/credential-source.ts";
import type { ToolChanges } from "../../definition/compare-tools.ts";
import { defaultRefreshMinutes } from "../../definition/connection.ts";
import type { ConnectionStatus } from "../../manage/connection-status.ts";
import type { Managed } from "../../manage/managed.ts";
import { ConnectionError } from "../../transport/connection-error.ts";
import type { FetchLike } from "../../transport/fetch-like.ts";
import { type ServiceFetch, serviceFetch } from "../call/service-client.ts";
import {
  identityOfDocument,
  isUrl,
  type OpenApiConnection,
} from "../definition/openapi-connection.ts";
import type { ReadOperations } from "../definition/operation.ts";
import type { DocumentFiles } from "../document/join-files.ts";
import type { ReadOptions } from "../document/read-operations.ts";
import { changesInSteps, waitingOperations } from "./document-changes.ts";
import { documentGroup, isSelected } from "./document-group.ts";
import { loadFiles } from "./load-files.ts";
import { failure, loadDocument, shownDocument } from "./load-document.ts";
import { type DocumentReader, readInProcess } from "./read-in-process.ts";
import type { StoredDocument } from "./stored-document.ts";

/** The longest chain of files that refer to others. */
const mostRounds = 20;

/** The time after which a comparison yields to the event loop, in milliseconds. */
const turnMs = 20;

/** The dependencies of a document's connection. */
interface ManagedDocumentOptions {
  readonly connection: OpenApiConnection;
  readonly files: DefinitionFiles<StoredDocument>;
  readonly host: { readonly version: string; readonly credentials?: CredentialSource };
  /** @default in a process of its own */
  readonly readDocument?: DocumentReader;
  /** Called after the tools of the connection changed. */
  readonly onChange: () => void;
}

/** A connection to a service that an OpenAPI document describes, and its tool group. */
export class ManagedDocument implements Managed {
  group: ToolGroup;
  readonly isReadAtStart = true;
  #stored: StoredDocument | undefined;
  #lastError: ConnectionError | undefined;
  #compared:
    | { readonly stored: StoredDocument; readonly changes: Promise<ToolChanges> }
    | undefined;
  #reading: Promise<void> | undefined;
  #readAt = performance.now();
  readonly #closed = new AbortController();
  readonly #fetch: ServiceFetch;
  readonly #options: ManagedDocumentOptions;

  constructor(options: ManagedDocumentOptions) {
    this.#options = options;
    const fetch = serviceFetch(options.connection);
    const observed: FetchLike = (target, init) => {
      this.#readIfOld();
      return fetch(target, init);
    };
    this.#fetch = Object.assign(observed, { close: () => fetch.close() });
    this.#stored = this.#read();
    this.group = this.#makeGroup();
  }

  get connection(): OpenApiConnection {
    return this.#options.connection;
  }

  get isListed(): boolean {
    return this.#stored !== undefined;
  }

  get changes(): Promise<ToolChanges> {
    const stored = this.#stored;
    if (stored === undefined) return Promise.resolve({ added: [], removed: [], changed: [] });
    // Cache it: the comparison takes long for large documents.
    if (this.#compared?.stored !== stored)
      this.#compared = { stored, changes: inTurns(changesInSteps(stored), { turnMs, nextTurn }) };
    return this.#compared.changes;
  }

  get status(): ConnectionStatus {
    const { connection } = this;
    const { missing = [], name, document } = connection;
    const waiting = this.#waiting();
    const used = this.group.tools.length - waiting.length;
    const error = this.#lastError?.message;
    return {
      name,
      server: shownDocument(document),
      state:
        missing.length > 0
          ? "not_configured"
          : waiting.length > 0
            ? "needs_acceptance"
            : this.#stored !== undefined
              ? "ready"
              : error === undefined
                ? "idle"
                : "backing_off",
      ...(error !== undefined && { error }),
      tools: used,
      waiting,
      notes: [...(this.#stored?.notes ?? []), ...this.#needs()],
      missing,
      sessions: 0,
    };
  }

  /** Reads the document. Parallel calls share one read. */
  async check(): Promise<void> {
    this.#readAt = performance.now();
    this.#reading ??= this.#readDocument(this.#closed.signal)
      .then(() => {
        this.#lastError = undefined;
      })
      .catch((thrown: unknown) => {
        this.#lastError =
          thrown instanceof ConnectionError
            ? thrown
            : failure(this.connection.document, "reading it was stopped.");
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  accept(): void {
    if (this.#stored === undefined) return;
    const { accepted: _before, ...stored } = this.#stored;
    this.#store(stored);
  }

  reload(): void {
    const read = this.#read();
    if (JSON.stringify(read) === JSON.stringify(this.#stored)) return;
    this.#stored = read;
    this.#changed();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#reading;
    await this.#fetch.close();
  }

  /** Reads the document again in the background, if it is old. */
  #readIfOld(): void {
    const { refreshMinutes = defaultRefreshMinutes } = this.connection;
    if (performance.now() - this.#readAt >= refreshMinutes * 60_000) void this.check();
  }

  async #readDocument(signal: AbortSignal): Promise<void> {
    const { connection } = this;
    const text = await loadDocument(connection, signal);
    const before = this.#stored;
    const options = readOptions(connection, before);
    const { names: _names, ...settings } = options;
    if (before?.source === sourceDigest([text, settings, {}]) && before.hasFiles !== true) return;
    const { list, files } = await this.#readFiles(text, options, signal);
    const source = sourceDigest([text, settings, files]);
    if (before?.source === source) return;
    const { title, notes, ...listed } = list;
    // A user wrote the connection into the configuration: its first operations are accepted.
    const accepted = before === undefined ? listed : (before.accepted ?? before.listed);
    const isPending = waitingOperations({ listed, accepted }).length > 0;
    this.#store({
      format: 1,
      identity: identityOfDocument(connection),
      source,
      title,
      ...(Object.keys(files).length > 0 && { hasFiles: true }),
      listed,
      ...(isPending && { accepted }),
      notes,
    });
  }

  /** Reads a document, and loads the files that it refers to. */
  async #readFiles(
    text: string,
    options: ReadOptions,
    signal: AbortSignal,
  ): Promise<{ readonly list: ReadOperations; readonly files: DocumentFiles }> {
    const { connection } = this;
    const { readDocument = readInProcess } = this.#options;
    const { document } = connection;
    const location = isUrl(document) ? new URL(document).href : pathToFileURL(document).href;
    let files: DocumentFiles = {};
    for (let round = 0; round < mostRounds; round++) {
      const read = await readDocument({ text, options: { ...options, location, files } }, signal);
      if (read.status === "failed") throw failure(document, read.problem);
      if (read.status === "read") return { list: read.list, files };
      files = await loadFiles(connection, read.urls, { loaded: files, signal });
    }
    throw failure(document, `its files refer to each other more than ${mostRounds} levels deep.`);
  }

  #waiting(): readonly string[] {
    // Avoids `changes`, whose schemas are only needed by users who read them.
    const stored = this.#stored;
    if (stored?.accepted === undefined) return [];
    return waitingOperations(stored)
      .filter((operation) => isSelected(this.connection, operation))
      .map(({ toolName }) => toolName);
  }

  /** The credentials that tools lack, each with its tools. */
  #needs(): readonly string[] {
    if ((this.connection.missing ?? []).length > 0) return [];
    const waiting = new Set(this.#waiting());
    const needs = new Map<string, string[]>();
    for (const { definition, unavailable } of this.group.tools) {
      const { name } = definition.function;
      if (unavailable === undefined || waiting.has(name)) continue;
      const text = `${unavailable.needs}. ${unavailable.fix ?? ""}`;
      needs.set(text, [...(needs.get(text) ?? []), name]);
    }
    return [...needs].map(([text, names]) => {
      const listed = names.slice(0, 5).join(", ");
      const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
      return `${listed}${more}: needs ${text}`;
    });
  }

  #read(): StoredDocument | undefined {
    const { connection, files } = this.#options;
    const stored = files.read(connection.name);
    return stored?.identity === identityOfDocument(connection) ? stored : undefined;
  }

  #store(stored: StoredDocument): void {
    const { connection, files } = this.#options;
    this.#stored = stored;
    files.write(connection.name, stored);
    this.#changed();
  }

  #changed(): void {
    this.group = this.#makeGroup();
    this.#options.onChange();
  }

  #makeGroup(): ToolGroup {
    const { connection, host } = this.#options;
    return documentGroup(connection, this.#stored, {
      fetch: this.#fetch,
      version: host.version,
      credentials: host.credentials,
    });
  }
}

/** Returns a digest of long texts, which takes a tenth of the time of the digest of JSON. */
function sourceDigest(parts: readonly unknown[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(typeof part === "string" ? part : JSON.stringify(part));
  return hash.digest("hex");
}

function readOptions(
  { document, server, variables, credentials, headers }: OpenApiConnection,
  before: StoredDocument | undefined,
): ReadOptions {
  const named = [before?.accepted, before?.listed].flatMap((list) => list?.operations ?? []);
  return {
    choice: {
      ...(isUrl(document) && { base: document }),
      ...(server !== undefined && { server }),
      variables,
    },
    credentials: Object.keys(credentials),
    headers: Object.keys(headers).map((name) => name.toLowerCase()),
    names: Object.fromEntries(named.map(({ key, toolName }) => [key, toolName])),
  };
}
