import {
  type ApprovalDecision,
  CapstanError,
  type JsonValue,
  type Message,
  type ModelSettings,
  type ToolDefinition,
} from "@capstan/core";
import { z } from "zod";
import type { BlobElement } from "../blobs/split-inputs.ts";
import type { RunRecord } from "./records.ts";

const toolFilter = z.object({
  toolNames: z.array(z.string()).readonly().exactOptional(),
  readOnly: z.boolean().exactOptional(),
});

/** Which of a group's tools are meant: those that are named, and that only read (or do not), where it says so. */
export type ToolFilter = z.infer<typeof toolFilter>;

const requireApproval = z.union([
  z.enum(["always", "never"]),
  z.object({ always: toolFilter.exactOptional(), never: toolFilter.exactOptional() }),
]);

/** When a person is asked. With filters, a tool that none of them matches is asked about. */
export type RequireApproval = z.infer<typeof requireApproval>;

const serverGroup = z.object({
  label: z.string(),
  group: z.string(),
  /** Absent: all its tools. */
  allowedTools: toolFilter.exactOptional(),
  /** Absent: as each tool says itself. */
  requireApproval: requireApproval.exactOptional(),
});

/** A tool group that the request wants, under the client's name for it. */
export type ServerGroup = z.infer<typeof serverGroup>;

const directCall = z.object({
  /** `group.Tool`. */
  toolId: z.string(),
  /** As JSON. */
  arguments: z.string(),
});

/** A call that a person makes, not a model. */
export type DirectCall = z.infer<typeof directCall>;

/** An object of core's, of which only the fields are checked by which its kind is told. */
function objectOf<T>(shape: z.ZodRawShape): z.ZodType<T> {
  const schema = z.looseObject(shape);
  return z.custom<T>((value) => schema.safeParse(value).success, "unexpected fields");
}

const message = objectOf<Message>({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
});

const blobElement: z.ZodType<BlobElement> = z.strictObject({ blob: z.string() });

const toolDefinition = objectOf<ToolDefinition>({
  type: z.literal("function"),
  function: z.looseObject({ name: z.string() }),
});

const answer = z.object({
  approvalId: z.string(),
  decision: objectOf<ApprovalDecision>({ decision: z.enum(["allow", "refuse"]) }),
});

/** Fields that came later have what their absence meant. */
const version1 = z.object({
  version: z.literal(1).default(1),
  instructions: z.string().nullable().default(null),
  /** The tool groups that the model is offered. */
  servers: z.array(serverGroup).readonly(),
  clientTools: z.array(toolDefinition).readonly().default([]),
  settings: objectOf<ModelSettings>({}),
  maxToolCalls: z.number().nullable().default(null),
  /** `inline`: the run waits for people and goes on. `deferred`: it closes, and a next one takes the calls over. */
  approvals: z.enum(["inline", "deferred"]),
  /** The same for the client's own calls: `inline` runs wait for `submit_tool_outputs`. */
  toolOutputs: z.enum(["inline", "deferred"]).default("deferred"),
  /** How the turns before it are shown to the model, where the server holds them. */
  history: z.union([z.enum(["log", "full"]), z.object({ keepTurns: z.number() })]).default("log"),
  /** What the client says was said before this turn, after what the run's ancestors say; see `Store.readList`. */
  context: z
    .array(z.union([blobElement, message]))
    .readonly()
    .default([]),
  /** What the client's own tools answered to the calls that the parent left open. */
  outputs: z
    .array(z.object({ callId: z.string(), output: z.string() }))
    .readonly()
    .default([]),
  /** Answers to the questions that the parent left open. */
  answers: z.array(answer).readonly().default([]),
  /** Carries the parent's unfinished turn on, whatever it left open. */
  continuesParent: z.boolean().default(false),
  /** It carries its parent's unfinished turn on. */
  adopts: z.boolean().default(false),
  /** How the Responses API shows the run; null if it does not. */
  wire: (z.json() as z.ZodType<JsonValue>).default(null),
  /** A person's own call: all that the run does. No model is asked. */
  call: directCall.exactOptional(),
});

/**
 * What is stored of a request, so that another process can continue its run. A later version becomes
 * a union of schemas, and `decodeRunRequest` makes the newest of each.
 */
export type StoredRequest = Readonly<z.infer<typeof version1>>;

/** Returns a request as `NewRun.request` takes it. */
export function encodeRunRequest(request: StoredRequest): JsonValue {
  // Of types whose values are all JSON; TypeScript sees only that they have optional fields.
  return request as unknown as JsonValue;
}

/**
 * Reads a stored request. One without a version is of version 1.
 *
 * @throws CapstanError `request_unreadable` if a field is missing or has another form: nothing of it is used
 */
export function decodeRunRequest(runId: string, stored: JsonValue): StoredRequest {
  const parsed = version1.safeParse(stored);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? "" : ` \`${issue.path.join(".")}\`: ${issue.message}.`;
  throw new CapstanError({
    code: "request_unreadable",
    message: `The stored request of run ${runId} cannot be read.${where} Start the run anew; "capstan db check" looks for damage.`,
  });
}

const decoded = new WeakMap<RunRecord, StoredRequest>();

/**
 * Returns what a run was asked for, decoded once a record. Runs of kind `edit` have no request.
 *
 * @throws CapstanError `request_unreadable`
 */
export function requestOf(run: RunRecord): StoredRequest {
  const known = decoded.get(run) ?? decodeRunRequest(run.id, run.request);
  decoded.set(run, known);
  return known;
}
