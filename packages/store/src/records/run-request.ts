import {
  type ApprovalDecision,
  CapstanError,
  type HistoryMode,
  type JsonValue,
  type Message,
  type ModelSettings,
  type ToolDefinition,
} from "@capstan/core";
import type { ClientOutput } from "@capstan/core/host";
import { z } from "zod";
import type { StoredList } from "../blobs/split-inputs.ts";
import type { RunRecord } from "./records.ts";

/**
 * What is stored of a request, so that another process can continue its run. A later version is one
 * more member of this union, and `upgraded` makes the newest of each.
 */
export type StoredRequest = RunRequestV1;

export interface RunRequestV1 {
  readonly version: 1;
  readonly instructions: string | null;
  /** The tool groups that the model is offered. */
  readonly servers: readonly ServerGroup[];
  readonly clientTools: readonly ToolDefinition[];
  readonly settings: ModelSettings;
  readonly maxToolCalls: number | null;
  /** `inline`: the run waits for people and goes on. `deferred`: it closes, and a next one takes the calls over. */
  readonly approvals: "inline" | "deferred";
  /** The same for the client's own calls: `inline` runs wait for `submit_tool_outputs`. */
  readonly toolOutputs: "inline" | "deferred";
  /** How the turns before it are shown to the model, where the server holds them. */
  readonly history: HistoryMode;
  /** What the client says was said before this turn, after what the run's ancestors say; see `Store.readList`. */
  readonly context: StoredList<Message>;
  /** What the client's own tools answered to the calls that the parent left open. */
  readonly outputs: readonly ClientOutput[];
  /** Answers to the questions that the parent left open. */
  readonly answers: readonly { readonly approvalId: string; readonly decision: ApprovalDecision }[];
  /** Carries the parent's unfinished turn on, whatever it left open. */
  readonly continuesParent: boolean;
  /** It carries its parent's unfinished turn on. */
  readonly adopts: boolean;
  /** How the Responses API shows the run; null if it does not. */
  readonly wire: JsonValue;
  /** A person's own call: all that the run does. No model is asked. */
  readonly call?: DirectCall;
}

/** A tool group that the request wants, under the client's name for it. */
export interface ServerGroup {
  readonly label: string;
  readonly group: string;
  /** Absent: all its tools. */
  readonly allowedTools?: ToolFilter;
  /** Absent: as each tool says itself. */
  readonly requireApproval?: RequireApproval;
}

/** Which of a group's tools are meant: those that are named, and that only read (or do not), where it says so. */
export interface ToolFilter {
  readonly toolNames?: readonly string[];
  readonly readOnly?: boolean;
}

/** When a person is asked. With filters, a tool that none of them matches is asked about. */
export type RequireApproval =
  | "always"
  | "never"
  | { readonly always?: ToolFilter; readonly never?: ToolFilter };

/** A call that a person makes, not a model. */
export interface DirectCall {
  /** `group.Tool`. */
  readonly toolId: string;
  /** As JSON. */
  readonly arguments: string;
}

const toolFilter = z.object({
  toolNames: z.array(z.string()).exactOptional(),
  readOnly: z.boolean().exactOptional(),
});

const serverGroup = z.object({
  label: z.string(),
  group: z.string(),
  allowedTools: toolFilter.exactOptional(),
  requireApproval: z
    .union([
      z.enum(["always", "never"]),
      z.object({ always: toolFilter.exactOptional(), never: toolFilter.exactOptional() }),
    ])
    .exactOptional(),
});

/** An object of core's, of which only the fields are checked by which its kind is told. */
function objectOf<T>(shape: z.ZodRawShape): z.ZodType<T> {
  const schema = z.looseObject(shape);
  return z.custom<T>((value) => schema.safeParse(value).success, "unexpected fields");
}

const message = objectOf<Message>({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
});

const toolDefinition = objectOf<ToolDefinition>({
  type: z.literal("function"),
  function: z.looseObject({ name: z.string() }),
});

/** Fields that came later have what their absence meant. */
const version1: z.ZodType<RunRequestV1> = z.object({
  version: z.literal(1).default(1),
  instructions: z.string().nullable().default(null),
  servers: z.array(serverGroup),
  clientTools: z.array(toolDefinition).default([]),
  settings: objectOf<ModelSettings>({}),
  maxToolCalls: z.number().nullable().default(null),
  approvals: z.enum(["inline", "deferred"]),
  toolOutputs: z.enum(["inline", "deferred"]).default("deferred"),
  history: z.union([z.enum(["log", "full"]), z.object({ keepTurns: z.number() })]).default("log"),
  context: z.array(z.union([z.strictObject({ blob: z.string() }), message])).default([]),
  outputs: z.array(z.object({ callId: z.string(), output: z.string() })).default([]),
  answers: z
    .array(
      z.object({
        approvalId: z.string(),
        decision: objectOf<ApprovalDecision>({ decision: z.enum(["allow", "refuse"]) }),
      }),
    )
    .default([]),
  continuesParent: z.boolean().default(false),
  adopts: z.boolean().default(false),
  wire: z.json().default(null),
  call: z.object({ toolId: z.string(), arguments: z.string() }).exactOptional(),
});

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
