import { basename } from "node:path";
import { defineToolGroup, type MissingNeed, type Tool, type ToolGroup } from "@capstan/core";
import { digest } from "@capstan/core/host";
import { visibleText } from "@capstan/core/text";
import type { CredentialSource } from "../../credentials/credential-source.ts";
import { callOperation } from "../call/call-operation.ts";
import { previewRequest } from "../call/preview-request.ts";
import { operationErrors } from "../call/operation-errors.ts";
import { selectCredentials } from "../call/select-credentials.ts";
import type { ServiceFetch } from "../call/service-client.ts";
import { isUrl, type OpenApiConnection } from "../definition/openapi-connection.ts";
import type { Operation, OperationList } from "../definition/operation.ts";
import { isRead, mayRepeat } from "../definition/operation-effects.ts";
import { SharedSchemas } from "../definition/shared-schemas.ts";
import { shownDocument } from "./load-document.ts";
import type { StoredDocument } from "./stored-document.ts";

/** The maximum length of a schema for the model, in characters. */
const longestSchema = 8_000;
/** The maximum number of operations that one approval of reads covers. */
const mostShared = 60;

/** The dependencies of a document's tools. */
export interface DocumentHost {
  readonly fetch: ServiceFetch;
  readonly version: string;
  /** Stored credentials, which operations can have in place of those of the settings. */
  readonly credentials?: CredentialSource | undefined;
}

/**
 * Returns the tool group of a document: a tool for each accepted operation. New and changed
 * operations are listed with a note that a user must accept them; models do not get them.
 *
 * @param stored undefined if the document was never read
 */
export function documentGroup(
  connection: OpenApiConnection,
  stored: StoredDocument | undefined,
  host: DocumentHost,
): ToolGroup {
  const { name } = connection;
  const title = visibleText(stored?.title ?? "");
  return defineToolGroup({
    name,
    description: `The service ${title === "" ? name : title}, as ${shownName(connection.document)} describes it.${stored === undefined ? " Its document has not been read yet." : ""}`,
    tools: stored === undefined ? [] : shownTools(connection, stored, host),
  });
}

/** Returns the URL of a document, or the name of its file: users must not read the server's paths. */
function shownName(document: string): string {
  return isUrl(document) ? shownDocument(document) : basename(document);
}

function missingVariable({ missing = [] }: OpenApiConnection): MissingNeed | undefined {
  const [first] = missing;
  return first === undefined
    ? undefined
    : { needs: `the variable ${first}`, fix: `Set ${missing.join(", ")}.` };
}

/** Returns whether the settings select an operation, by its id or its tool's name. */
export function isSelected(
  { tools }: Pick<OpenApiConnection, "tools">,
  { id, toolName }: Pick<Operation, "id" | "toolName">,
): boolean {
  return (
    tools?.some((selected) =>
      selected.endsWith("*")
        ? [id, toolName].some((name) => name.startsWith(selected.slice(0, -1)))
        : selected === id || selected === toolName,
    ) ?? true
  );
}

function shownTools(
  connection: OpenApiConnection,
  { listed, accepted = listed }: StoredDocument,
  host: DocumentHost,
): readonly Tool[] {
  const before = new Map(accepted.operations.map((one) => [one.key, one.digest]));
  const selected = listed.operations.filter((operation) => isSelected(connection, operation));
  const shares = sharing(selected);
  const schemas = {
    request: new SharedSchemas(listed.defs, "request"),
    response: new SharedSchemas(listed.defs, "response"),
  };
  return selected.map((operation) => {
    const known = before.get(operation.key);
    if (known === operation.digest) {
      const need =
        missingVariable(connection) ??
        // Only a call can tell whether its caller has a stored credential.
        (host.credentials === undefined
          ? missingCredential(connection, operation, listed)
          : undefined);
      return operationTool(connection, { operation, list: listed, host, schemas, shares, need });
    }
    return unacceptedTool(operation, {
      needs: `a user who accepts its ${known === undefined ? "definition" : "changed definition"}`,
      fix: `capstan connections accept ${connection.name}`,
    });
  });
}

function missingCredential(
  connection: OpenApiConnection,
  operation: Operation,
  { schemes }: OperationList,
): MissingNeed | undefined {
  const selected = selectCredentials(operation, schemes, connection);
  if (selected.status === "ready") return undefined;
  const [scheme = ""] = selected.schemes;
  return {
    needs: `a credential for ${visibleText(selected.schemes.join(", "))}`,
    fix: `Set connections.${connection.name}.credentials: {"${visibleText(scheme)}": "\${NAME_OF_A_VARIABLE}"}.`,
  };
}

/** Models must not read unaccepted texts. Users review them with the command in the need's fix. */
function unacceptedTool({ toolName }: Operation, unavailable: MissingNeed): Tool {
  return {
    unavailable,
    definition: {
      type: "function",
      function: { name: toolName, description: "", parameters: { type: "object" } },
    },
    execute: () => {
      throw new Error("no user has accepted this operation");
    },
  };
}

/**
 * Returns a function that names the grant of a read. Reads with the same name share a grant: all
 * reads of the document or, if there are many, those with the same tag, because an approval names
 * each tool that it covers.
 */
function sharing(operations: readonly Operation[]): (operation: Operation) => string {
  const reads = operations.filter(isRead);
  if (reads.length <= mostShared) return () => "reads";
  return ({ tag, path }) => `reads of ${tag ?? path.split("/")[1] ?? ""}`;
}

function operationTool(
  connection: OpenApiConnection,
  options: {
    readonly operation: Operation;
    readonly list: OperationList;
    readonly host: DocumentHost;
    readonly schemas: { readonly request: SharedSchemas; readonly response: SharedSchemas };
    readonly shares: (operation: Operation) => string;
    readonly need: MissingNeed | undefined;
  },
): Tool {
  const { operation, list, host, schemas, shares, need } = options;
  const { timeoutSeconds = 600 } = connection;
  const isReading = isRead(operation);
  const repeats = mayRepeat(operation, connection);
  const { host: server } = new URL(operation.server);
  // Made at first use: a document can have a thousand operations.
  const description = once(() => visibleText(operation.description));
  const whole = once(() => schemas.request.selfContained(operation.input));
  const shown = once(() => schemas.request.short(operation.input, longestSchema));
  const output = once(() => operation.output && schemas.response.selfContained(operation.output));
  return {
    ...(need !== undefined && { unavailable: need }),
    definition: {
      type: "function",
      function: {
        name: operation.toolName,
        get description() {
          return description();
        },
        get parameters() {
          return shown();
        },
      },
    },
    get argumentsSchema() {
      return whole();
    },
    // A grant does not apply to a tool with another definition, or of another service.
    version: digest([operation.server, operation.digest]),
    effects: isReading ? "read" : "write",
    idempotent: repeats,
    permission: isReading
      ? {
          executionPolicy: "ask-once",
          grantScope: () => ({ key: server, title: `requests that read from ${server}` }),
          sharesGrants: shares(operation),
        }
      : {
          executionPolicy: "ask-always",
          preview: (args, context) => previewRequest(operation, args, context),
        },
    ...(repeats && { retry: { attempts: 3, baseMs: 500 } }),
    timeoutMs: timeoutSeconds * 1_000,
    errors: operationErrors,
    execute: (args, context) =>
      callOperation(operation, args, { connection, list, outputSchema: output, ...host }, context),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
