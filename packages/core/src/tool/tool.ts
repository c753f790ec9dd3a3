import type { JsonSchema, ToolArgs } from "../base/json.ts";
import type { ToolError } from "./return-value.ts";
import type { ToolContext } from "./tool-context.ts";
import type { ToolDefinition } from "../model/model.ts";
import type { ArgumentConditions } from "../arguments/argument-conditions.ts";

/**
 * The effects of a call outside the chain. `read` runs in parallel with any call, `write` excludes
 * other writes of its group, `exclusive` runs alone, and lock keys exclude only each other.
 */
export type ToolEffects =
  | "read"
  | "write"
  | "exclusive"
  | { readonly locks: (args: ToolArgs) => readonly string[] };

/** A tool's own policy, for calls to which no rule or grant applies. */
export interface ToolPermission {
  /** @default "ask-once" */
  readonly executionPolicy?: ExecutionPolicy;
  /** @default "never" */
  readonly resultApprovalPolicy?: ResultApprovalPolicy;
  /**
   * Returns the scope of a user's wider answer, with a title: the calls with the same key, or the
   * calls that match a pattern, which the user can change. If absent, the scope is every call of
   * the tool.
   *
   * @example grantScope: ({ url }) => ({ when: { url: { host: "example.org" } }, title: "pages of example.org" })
   */
  readonly grantScope?: (args: ToolArgs) => GrantOffer;
  /**
   * A name that tools of one group share: if the user allows one of them with the scope that
   * `grantScope` offers, the grant also covers the others. The approval request names them. The
   * tools must have the same effects, and their arguments or scope keys the same meaning.
   *
   * @example sharesGrants: "pages"
   */
  readonly sharesGrants?: string;
  /**
   * Returns the canonical form of arguments for rules and patterns, if a value can be written in
   * several ways. Does no I/O.
   *
   * @example canonicalArguments: ({ path = "." }) => ({ path: fromRoot(path) })
   */
  readonly canonicalArguments?: (args: ToolArgs) => ToolArgs;
  /**
   * Returns the names of the variables that a call reads in addition to `$VAR_REF{{…}}`. An
   * approval shows and covers their contents: the call fails if one changed before it starts. Read
   * them with `context.readVariable`. Does no I/O.
   *
   * @example readsVariables: ({ variables }) => variables as string[]
   */
  readonly readsVariables?: (args: ToolArgs) => readonly string[];
  /**
   * Returns the effect of a call as text, for example the diff of a file, or the error with which
   * the call would fail. An approval request shows the effect and covers it: the call fails if its
   * effect has changed when it starts. After an error, no user is asked. A preview must not change
   * anything.
   */
  readonly preview?: (args: ToolArgs, context: PreviewContext) => Promise<string | ToolError>;
  /** Milliseconds until an approval request for a call expires. @default the gate's, 24 hours */
  readonly approvalMs?: number;
}

/** The context of a preview. */
export type PreviewContext = Pick<ToolContext, "principal" | "denied" | "signal" | "files">;

/**
 * Retries a failed call within its deadline, with the same idempotency key, if the tool threw or
 * its error is `retryable`.
 */
export interface RetryPolicy {
  /** All attempts together, including the first: 2 to 10. */
  readonly attempts: number;
  /** The delay before attempt n is random, up to `baseMs` × 2^(n-2). @default 200 */
  readonly baseMs?: number;
  /** The maximum delay, unless the error requires a longer one. @default 10000 */
  readonly maxMs?: number;
}

/**
 * Data, data with its text (`withText(data, text)`), or content parts (`contentParts([...])`). Each
 * can have sources (`withAnnotations(…)`). A failure is `toolError(...)` or a thrown value.
 */
export type ToolReturn = unknown;

/** A function that a model may call. Create it with `defineTool`. */
export interface Tool {
  readonly definition: ToolDefinition;
  readonly permission?: ToolPermission;
  /**
   * Identifies the code that runs, for example by a digest of a script: approvals apply only to
   * this version of the tool.
   */
  readonly version?: string;
  /** @default "write" */
  readonly effects?: ToolEffects;
  /**
   * Whether the same call with the same idempotency key may run again after a crash. @default
   * effects === "read"
   */
  readonly idempotent?: boolean;
  /** Absent if a client runs the tool. */
  readonly execute?: (args: ToolArgs, context: ToolContext) => ToolReturn | Promise<ToolReturn>;
  /**
   * The schema with which arguments are checked, if it rejects more than that of the definition.
   * `defineTool` sets it, so that properties which its schema would drop are reported to the model.
   *
   * @default `definition.function.parameters`
   */
  readonly argumentsSchema?: JsonSchema;
  /**
   * Checks arguments that match the schema for problems that JSON Schema cannot express. Returns
   * descriptions of the problems.
   */
  readonly check?: (args: ToolArgs) => readonly string[] | Promise<readonly string[]>;
  /** Formats `data` as text for the model. Default: text unchanged, else JSON. */
  readonly formatForLLM?: (data: unknown, args: ToolArgs) => string;
  /** Replaces the executor's truncation; gets `args.limit`. */
  readonly truncateForLLM?: (formatted: string, args: ToolArgs) => string;
  /** True: the executor does not truncate the formatted text, up to the ceiling. */
  readonly SKIP_EXTERNAL_TRUNCATE?: boolean;
  /** True: the result is not stored as a variable. */
  readonly SKIP_CACHE_RESULT?: boolean;
  /** Characters shown to the model. @default 8000 */
  readonly DEFAULT_OUTPUT_LIMIT_CHAR?: number;
  /** Tokens shown to the model, instead of characters. */
  readonly DEFAULT_OUTPUT_LIMIT_TOKENS?: number;
  /**
   * Milliseconds of running time, or a function of a call's arguments that returns them. @default
   * the gate's limit, 60000
   */
  readonly timeoutMs?: number | ((args: ToolArgs) => number | undefined);
  /**
   * The maximum milliseconds to wait for a call that was stopped, for example until its processes
   * have ended. @default a few turns of the event loop
   */
  readonly stopMs?: number;
  /**
   * The maximum number of calls of this tool that run in parallel, over all users of the executor.
   * @default no separate limit
   */
  readonly maxConcurrent?: number;
  /**
   * Retries calls that failed but may succeed later. Only for tools that read or are idempotent.
   */
  readonly retry?: RetryPolicy;
  /** Returns short texts of the call's arguments and result for the log. */
  readonly compressArgs?: (args: ToolArgs) => string;
  readonly compressResult?: (result: unknown) => string;
  /**
   * Describes `data` in a line of the definition for the model. With a schema, results are checked.
   */
  readonly declaredReturnType?: {
    readonly type: string;
    readonly note?: string;
    readonly schema?: JsonSchema;
  };
  /** True: offered whenever there is another server tool or a variable; has no switch. */
  readonly alwaysOffered?: boolean;
  /**
   * True: the tool asks the user a question for the other tools of its group. They can call it even
   * if the request does not offer it. Only a rule that names the tool itself answers for the user.
   * A rule for its group or for all tools does not, and neither does a request's
   * `require_approval`.
   */
  readonly asksUser?: boolean;
  /** `hidden`: the tool's output while it runs is not shown; its call and its result are shown. */
  readonly output?: "hidden";
  /**
   * True: clients of the server's APIs see neither the tool nor its calls. The ledger records them,
   * and users see them with the run and in approval requests.
   */
  readonly hidden?: boolean;
  /**
   * True: the tool's output is the answer. Its written text, or else the text of its `data`,
   * becomes the assistant's message. The turn then ends with its round, and the model is not asked
   * again. A tool that fails, is rejected or has no output does not end the turn. In a sub-call,
   * `final` has no effect.
   */
  readonly final?: boolean;
  /** True: the tool reads or writes variables, so its own results do not become variables. */
  readonly variableTool?: boolean;
  /**
   * Set if something that the tool needs is missing. Lists show the tool and what it needs; models
   * are not offered it, and calls of it fail with `tool_unavailable`.
   */
  readonly unavailable?: MissingNeed;
  /** Calls that show how to use the tool, for its documentation. Models do not see them. */
  readonly examples?: readonly ToolExample[];
  /** The codes of the tool's own errors, with their meaning, for its documentation. */
  readonly errors?: { readonly [code: string]: string };
}

/** A program, key or service that a tool needs and does not have, for users. */
export interface MissingNeed {
  /** A noun, for example `a key for Tavily`. */
  readonly needs: string;
  /** How to provide it: a sentence or a command. */
  readonly fix?: string;
}

/** A call that documents a tool. */
export interface ToolExample {
  /** A sentence on the effect of the call. */
  readonly title: string;
  /** Arguments that match the tool's schema. */
  readonly args: ToolArgs;
}

/** A document for the model on the use of a group's tools. */
export interface SkillRule {
  /** One line for the index in the prompt. */
  readonly desc: string;
  /** The full document. */
  readonly prompt: string;
  readonly when?: string;
  /** True puts the document into the prompt itself, not only into its index. @default false */
  readonly alwaysLoad?: boolean;
}

/** A named set of tools; disabled until enabled. */
export interface ToolGroup {
  /** Its id: `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  /** The name for users. @default name */
  readonly title?: string;
  readonly description?: string;
  /**
   * True for tools that run code. While the configuration has the group off, only a user with the
   * right `admin` can switch it on for a conversation. @default false
   */
  readonly needsAdmin?: boolean;
  readonly tools: readonly Tool[];
  readonly rulePrompt?: string | ((enabledToolNames: readonly string[]) => string);
  readonly declareSkillRules?: { readonly [name: string]: SkillRule };
}

/**
 * Whether a call may run: without approval, with one approval for repeated calls, with an approval
 * each time, or never.
 */
export type ExecutionDecision = "auto" | "ask-once" | "ask-always" | "deny";
/** Whether a call may run. The default is `ask-once`. */
type ExecutionPolicy = ExecutionDecision | ((args: ToolArgs) => ExecutionDecision);
/** Whether a user reviews a result before the model reads it. */
export type ResultApprovalPolicy = "never" | "on-error" | "always";

/** The scope that a tool proposes for a user's wider answer. */
export interface GrantOffer {
  /**
   * The answer covers calls with the same key. Without `key` and `when`, it covers every call of
   * this tool.
   */
  readonly key?: string;
  /** A pattern for the calls, which a user can change. Overrides `key`. */
  readonly when?: ArgumentConditions;
  /** The title for users: `FetchWebPage: pages of example.org`. */
  readonly title: string;
}

/** The scope that an approval request offers. */
export interface OfferedGrant extends GrantOffer {
  /** The other tools whose calls the answer covers: see `ToolPermission.sharesGrants`. */
  readonly sharedWith?: readonly SharedTool[];
}

/** A tool that a grant of another tool covers, with the definition that the user was asked about. */
export interface SharedTool {
  readonly toolId: string;
  readonly definitionDigest: string;
}
