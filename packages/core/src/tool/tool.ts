import type { JsonSchema, ToolArgs } from "../base/json.ts";
import type { ToolContext } from "./tool-context.ts";
import type { ToolDefinition } from "../model/model.ts";
import type { ArgumentConditions } from "../arguments/argument-conditions.ts";

/**
 * What a call does to the world: `read` runs beside anything, `write` excludes the other writes
 * of its group, `exclusive` runs alone, lock keys exclude only each other.
 */
export type ToolEffects =
  | "read"
  | "write"
  | "exclusive"
  | { readonly locks: (args: ToolArgs) => readonly string[] };

export interface ToolPermission {
  /** @default "ask-once" */
  readonly executionPolicy?: ExecutionPolicy;
  /** @default "never" */
  readonly resultApprovalPolicy?: ResultApprovalPolicy;
  /**
   * Which calls a person's wider word is for, and how to say it: those with the same key, or those
   * that fit a pattern, which the person sees and may change. Without it: every call of the tool.
   *
   * @example grantScope: ({ url }) => ({ when: { url: { host: "example.org" } }, title: "pages of example.org" })
   */
  readonly grantScope?: (args: ToolArgs) => GrantOffer;
  /**
   * The arguments as rules and patterns see them: where one thing can be written in several ways,
   * the one way. Does no I/O.
   *
   * @example canonicalArguments: ({ path = "." }) => ({ path: fromRoot(path) })
   */
  readonly canonicalArguments?: (args: ToolArgs) => ToolArgs;
  /**
   * The names of the variables that a call reads besides `$VAR_REF{{…}}`. An approval shows their
   * contents and holds for them alone: the call fails if one changed before it starts. Read them with
   * `context.readVariable`. Does no I/O.
   *
   * @example readsVariables: ({ variables }) => variables as string[]
   */
  readonly readsVariables?: (args: ToolArgs) => readonly string[];
  /** Milliseconds that a question about a call stays open. @default the gate's, 24 hours */
  readonly approvalMs?: number;
}

/**
 * When a failed call is tried again, within its deadline and with the same idempotency key. Tried
 * again are throws, and errors that say `retryable`.
 */
export interface RetryPolicy {
  /** All tries together, the first included: 2 to 10. */
  readonly attempts: number;
  /** The wait before try n is random, up to `baseMs` × 2^(n-2). @default 200 */
  readonly baseMs?: number;
  /** Longest wait, unless the error asks for more. @default 10000 */
  readonly maxMs?: number;
}

/** `data`, with its text (`withText(data, text)`), content parts (`contentParts([...])`), or `toolError(...)`. A throw is an error too. */
export type ToolReturn = unknown;

/** Something a model may call. Build it with `defineTool`. */
export interface Tool {
  readonly definition: ToolDefinition;
  readonly permission?: ToolPermission;
  /** What runs, e.g. a digest of a script: what a person allowed holds for this version of the tool alone. */
  readonly version?: string;
  /** @default "write" */
  readonly effects?: ToolEffects;
  /** Whether the same call with the same idempotency key may be run again after a crash. @default effects === "read" */
  readonly idempotent?: boolean;
  /** Absent where a client runs the tool. */
  readonly execute?: (args: ToolArgs, context: ToolContext) => ToolReturn | Promise<ToolReturn>;
  /** Looks at valid arguments once more, beyond what JSON Schema can say; returns what is wrong, in words. */
  readonly check?: (args: ToolArgs) => readonly string[] | Promise<readonly string[]>;
  /** `data` → text for the model. Default: text as it is, else JSON. */
  readonly formatForLLM?: (data: unknown, args: ToolArgs) => string;
  /** Replaces the executor's cut; sees `args.limit`. */
  readonly truncateForLLM?: (formatted: string, args: ToolArgs) => string;
  /** The executor shows the formatted text whole (up to the ceiling). */
  readonly SKIP_EXTERNAL_TRUNCATE?: boolean;
  /** The result is not kept as a variable. */
  readonly SKIP_CACHE_RESULT?: boolean;
  /** Characters shown to the model. @default 8000 */
  readonly DEFAULT_OUTPUT_LIMIT_CHAR?: number;
  /** Tokens shown to the model, instead of characters. */
  readonly DEFAULT_OUTPUT_LIMIT_TOKENS?: number;
  /** Milliseconds of running time. @default 60000 */
  readonly timeoutMs?: number;
  /** Calls of this tool that run at once, over all that share the executor. @default no cap of its own */
  readonly maxConcurrent?: number;
  /** Tries again what failed and may succeed. Only for what reads or is idempotent. */
  readonly retry?: RetryPolicy;
  /** How the call's arguments and result are named in the log. */
  readonly compressArgs?: (args: ToolArgs) => string;
  readonly compressResult?: (result: unknown) => string;
  /** What `data` is: a line of the definition that the model reads. With a schema, what comes back is checked. */
  readonly declaredReturnType?: {
    readonly type: string;
    readonly note?: string;
    readonly schema?: JsonSchema;
  };
  /** Offered wherever any other server tool or a variable is; no switch turns it on. */
  readonly alwaysOffered?: boolean;
  /** `hidden`: what the tool says while it runs is shown to nobody; its call and its result are. */
  readonly speaks?: "hidden";
  /**
   * Its output is the answer: what it writes, else the text of its `data`, becomes the assistant's
   * message, and the turn ends with its round without asking the model again. One that fails, is
   * refused or says nothing ends no turn. In a sub-call it is a tool like others.
   */
  readonly final?: boolean;
  /** The tool reads or writes variables itself: its own results are not kept as variables. */
  readonly variableTool?: boolean;
}

export interface SkillRule {
  /** One line, in the prompt's index. */
  readonly desc: string;
  /** The whole document. */
  readonly prompt: string;
  readonly when?: string;
  /** In the prompt itself, not only its index. @default false */
  readonly alwaysLoad?: boolean;
}

/** A named set of tools; off until enabled. */
export interface ToolGroup {
  /** Its id: `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  /** What people read. @default name */
  readonly title?: string;
  readonly description?: string;
  readonly tools: readonly Tool[];
  readonly rulePrompt?: string | ((enabledToolNames: readonly string[]) => string);
  readonly declareSkillRules?: { readonly [name: string]: SkillRule };
}

export type ExecutionDecision = "auto" | "ask-once" | "ask-always" | "deny";
/** Whether a call may run. Nothing said means `ask-once`. */
type ExecutionPolicy = ExecutionDecision | ((args: ToolArgs) => ExecutionDecision);
/** Whether a person sees a result before the model does. */
export type ResultApprovalPolicy = "never" | "on-error" | "always";

export interface GrantOffer {
  /** Calls that the tool says belong together. Neither this nor `when`: every call of this tool. */
  readonly key?: string;
  /** The same as a pattern, which a person may change. Wins over `key`. */
  readonly when?: ArgumentConditions;
  /** What people read: `FetchWebPage: pages of example.org`. */
  readonly title: string;
}
