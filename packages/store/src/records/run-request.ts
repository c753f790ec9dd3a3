import {
  type ApprovalDecision,
  CapstanError,
  type ContentPart,
  type JsonValue,
  type Message,
  type RequestTool,
  type ToolDefinition,
} from "@capstan/core";
import type { ChatOption } from "@capstan/core/host";
import { z } from "zod";
import type { BlobElement } from "../blobs/split-inputs.ts";
import type { RunRecord } from "./records.ts";

const toolFilter = z.object({
  toolNames: z.array(z.string()).readonly().exactOptional(),
  readOnly: z.boolean().exactOptional(),
});

/** Selects tools of a group by name and, if `readOnly` is given, by whether they only read. */
export type ToolFilter = z.infer<typeof toolFilter>;

const requireApproval = z.union([
  z.enum(["always", "never"]),
  z.object({ always: toolFilter.exactOptional(), never: toolFilter.exactOptional() }),
]);

/** When a call needs approval. With filters, a tool that matches none of them needs it. */
export type RequireApproval = z.infer<typeof requireApproval>;

const serverGroup = z.object({
  label: z.string(),
  group: z.string(),
  /** Absent: all tools of the group. */
  allowedTools: toolFilter.exactOptional(),
  /** Absent: each tool decides. */
  requireApproval: requireApproval.exactOptional(),
  /** The agent offers it, and the request does not name it. @default false */
  ofAgent: z.boolean().exactOptional(),
  /** The type of the request's tool that is bound to the group's tool, for example `web_search`. */
  hosted: z.string().exactOptional(),
});

/** A tool group that the request offers, under the client's name for it. */
export type ServerGroup = z.infer<typeof serverGroup>;

const jsonValue: z.ZodType<JsonValue> = z.json();

const pinnedServer = z.object({
  id: z.string(),
  group: z.string(),
  url: z.string(),
  headerNames: z.array(z.string()).readonly(),
  tools: z
    .array(
      z.object({
        name: z.string(),
        digest: z.string(),
        definition: jsonValue,
      }),
    )
    .readonly(),
});

const directCall = z.object({
  /** `group.Tool`. */
  toolId: z.string(),
  /** As JSON. */
  arguments: z.string(),
  /**
   * Set if another program makes the call over MCP: it cannot call unapproved tools. The number of
   * the first stored result, because parallel calls share the names of results.
   */
  ofProgram: z.object({ firstResult: z.number() }).exactOptional(),
});

/** A call that a user or another program makes, without a model. */
export type DirectCall = z.infer<typeof directCall>;

/**
 * A schema for one of core's objects. It checks only the fields that determine the object's kind.
 */
function objectOf<T>(shape: z.ZodRawShape): z.ZodType<T> {
  const schema = z.looseObject(shape);
  return z.custom<T>((value) => schema.safeParse(value).success, "unexpected fields");
}

const message = objectOf<Message>({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
});

const contentPart = objectOf<ContentPart>({ type: z.enum(["text", "image", "file", "link"]) });

const blobElement: z.ZodType<BlobElement> = z.strictObject({ blob: z.string() });

const toolDefinition = objectOf<ToolDefinition>({
  type: z.literal("function"),
  function: z.looseObject({ name: z.string() }),
});

const answer = z.object({
  approvalId: z.string(),
  decision: objectOf<ApprovalDecision>({ decision: z.enum(["allow", "refuse"]) }),
});

const storedFile = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  sha256: z.string(),
  size: z.number(),
});

const toolContext = z.object({
  /** The client's id of its end user. */
  user: z.string().exactOptional(),
  metadata: z.record(z.string(), z.string()).exactOptional(),
  /** The headers that the configuration passes on, by name in lower case. */
  headers: z.record(z.string(), z.string()).exactOptional(),
  /** The tools as the request declares them, by `group.Tool` or group. */
  tools: z.record(z.string(), objectOf<RequestTool>({ type: z.string() })).exactOptional(),
  /** The files that the request gives to tools of one type, such as `code_interpreter`. */
  files: z.record(z.string(), z.array(storedFile).readonly()).exactOptional(),
});

/** The data of a request that its tools get in their context. */
export type ToolContextData = Readonly<z.infer<typeof toolContext>>;

/** Fields that were added later have defaults that match the behavior without them. */
const version1 = z.object({
  version: z.literal(1).default(1),
  instructions: z.string().nullable().default(null),
  /** The tool groups that the model is offered. */
  servers: z.array(serverGroup).readonly(),
  /** The MCP servers that the request names, without values of headers. Absent: none. */
  requestServers: z.array(pinnedServer).readonly().exactOptional(),
  clientTools: z.array(toolDefinition).readonly().default([]),
  /** Tools of the groups that a client runs are not offered. */
  omitsClientTools: z.boolean().exactOptional(),
  /** Names of the client tools whose calls are checked before the client sees them. */
  checkedTools: z.array(z.string()).readonly().exactOptional(),
  settings: objectOf<ChatOption>({}),
  maxToolCalls: z.number().nullable().default(null),
  /** The maximum number of rounds of tool calls, if lower than the server's. */
  maxRounds: z.number().nullable().default(null),
  /** The maximum number of tokens that the run reads and writes before it ends as incomplete. */
  maxPromptTokens: z.number().exactOptional(),
  maxCompletionTokens: z.number().exactOptional(),
  /**
   * `inline`: the run waits for answers and resumes. `deferred`: the run ends, and a later run
   * takes its calls over.
   */
  approvals: z.enum(["inline", "deferred"]),
  /**
   * Like `approvals`, but for the client's own calls: `inline` runs wait for `submit_tool_outputs`.
   */
  toolOutputs: z.enum(["inline", "deferred"]).default("deferred"),
  /** How stored earlier turns are shown to the model. */
  history: z.union([z.enum(["log", "full"]), z.object({ keepTurns: z.number() })]).default("log"),
  /**
   * The messages that the client sends as the history before this turn, after those of the run's
   * ancestors; see `Store.readList`.
   */
  context: z
    .array(z.union([blobElement, message]))
    .readonly()
    .default([]),
  /**
   * `all`: `context` states the whole history, also for the runs that continue this one. `own`: it
   * is the history of this run only; the runs that continue it read that of the run's ancestors.
   * Absent: the messages follow those of the ancestors.
   */
  restates: z.enum(["all", "own"]).exactOptional(),
  /** Outputs of the client's own tools for calls that the parent left open. */
  outputs: z
    .array(
      z.object({
        callId: z.string(),
        output: z.string(),
        parts: z.array(contentPart).readonly().exactOptional(),
      }),
    )
    .readonly()
    .default([]),
  /** Answers to approval requests that the parent left open. */
  answers: z.array(answer).readonly().default([]),
  /**
   * Whether the run continues the parent's unfinished turn, even if the turn has open calls or
   * approvals.
   */
  continuesParent: z.boolean().default(false),
  /** Whether the run takes over the unfinished turn of its parent. */
  adopts: z.boolean().default(false),
  /** The API that started the run and shows it. If absent, it is the Responses API. */
  api: z.enum(["responses", "completions", "threads", "mcp"]).exactOptional(),
  /** The stored chat completion of which the run is a choice. */
  completion: z
    .object({
      of: z.string().exactOptional(),
      choice: z.number(),
      model: z.string(),
      metadata: z.record(z.string(), z.string()),
    })
    .exactOptional(),
  /** How that API shows the run; null if it does not. */
  wire: (z.json() as z.ZodType<JsonValue>).default(null),
  /**
   * The tools that the model is shown only after it found them, whatever their number: names of
   * client tools, and groups. Absent: the server's limit alone decides.
   */
  toolSearch: z
    .object({ tools: z.array(z.string()).readonly(), groups: z.array(z.string()).readonly() })
    .exactOptional(),
  /** The data that the tools get in their context. Absent: none. */
  toolContext: toolContext.exactOptional(),
  /** A direct call. The run consists of this call, and no model is asked. */
  call: directCall.exactOptional(),
});

/**
 * The stored form of a request, with which another process can continue its run. A later version
 * becomes a union of schemas, and `decodeRunRequest` converts each to the newest.
 */
export type StoredRequest = Readonly<z.infer<typeof version1>>;

/** Returns a request in the form of `NewRun.request`. */
export function encodeRunRequest(request: StoredRequest): JsonValue {
  // All its values are JSON, but TypeScript rejects the type because of its optional fields.
  return request as unknown as JsonValue;
}

/**
 * Decodes a stored request. One without a version is of version 1.
 *
 * @throws CapstanError `request_unreadable` if a field is missing or invalid
 */
export function decodeRunRequest(runId: string, stored: JsonValue): StoredRequest {
  const parsed = version1.safeParse(stored);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? "" : ` \`${issue.path.join(".")}\`: ${issue.message}.`;
  throw new CapstanError({
    code: "request_unreadable",
    message: `The stored request of run ${runId} cannot be read.${where} Start the run again as a new one; "capstan db check" looks for damage.`,
  });
}

const decoded = new WeakMap<RunRecord, StoredRequest>();

/**
 * Returns the request of a run, decoded once per record. Runs of kind `edit` have no request.
 *
 * @throws CapstanError `request_unreadable`
 */
export function requestOf(run: RunRecord): StoredRequest {
  const known = decoded.get(run) ?? decodeRunRequest(run.id, run.request);
  decoded.set(run, known);
  return known;
}
