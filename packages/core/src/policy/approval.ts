import type { OfferedGrant } from "../tool/tool.ts";
import type { JsonObject, ToolArgs } from "../base/json.ts";
import { type ArgumentConditions, conditionsHold } from "../arguments/argument-conditions.ts";
import type { ReviewAnswer, ReviewRequest } from "./review.ts";
import { digest, isObject } from "../json/json-value.ts";
import type { ShownPreview, ShownVariable } from "../text/visible-text.ts";
import type { VariableDigests } from "../variables/variable.ts";
import { conditionProblems } from "./rule.ts";

/**
 * A request to a user to approve one call, with the information that the user needs to decide.
 * Plain JSON.
 */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly toolId: string;
  /** The tool's bare name and its group's title. */
  readonly toolName: string;
  readonly groupTitle: string;
  readonly description: string;
  /** The resolved and validated arguments. The tool receives exactly these. */
  readonly args: JsonObject;
  /** The digest of the arguments, and of the variables that the call reads. */
  readonly argsDigest: string;
  /**
   * The variables that the call reads in addition to its arguments, as the tool's `readsVariables`
   * names them.
   */
  readonly variables?: readonly ShownVariable[];
  /** The effect of the call, if the tool's `preview` returns it. The approval covers it. */
  readonly preview?: ShownPreview;
  readonly definitionDigest: string;
  /** The reason for the request. */
  readonly reason: string;
  /**
   * An answer without a scope applies to calls with exactly these arguments in this session
   * (`ask-once`).
   */
  readonly remember: boolean;
  /**
   * The default scope of a wider answer. If absent, a rule requires approval every time, and an answer applies
   * only to this call.
   */
  readonly grant?: OfferedGrant;
  /**
   * The tool only reads. If absent, it may write, send or run code, and a wider answer over HTTP
   * repeats its scope.
   */
  readonly readOnly?: true;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The principal that the call belongs to. */
  readonly principalId: string;
}

/** `once`: this call. `session`: this session. `always`: every session. */
export type ApprovalScope = "once" | "session" | "always";

/** The calls that a wider answer covers. */
export type GrantCover =
  /** The calls that the request's `grant` describes. */
  | { readonly type: "offer" }
  | { readonly type: "arguments" }
  | { readonly type: "pattern"; readonly when: ArgumentConditions }
  | { readonly type: "tool" };

/** A user's decision on an approval request. */
export type ApprovalDecision =
  | {
      readonly decision: "allow";
      /** @default "once" */
      readonly scope?: ApprovalScope;
      /** For `session` and `always`. @default { type: "offer" } */
      readonly covers?: GrantCover;
      /** The expiry of a wider answer, in ms since the epoch. @default never */
      readonly expiresAt?: number;
      /**
       * The arguments that a user changed. They are validated again, and apply only to this call.
       */
      readonly arguments?: JsonObject;
      /** `grant`: an answer to another request covers this one. @default "person" */
      readonly by?: "person" | "grant";
    }
  | {
      readonly decision: "refuse";
      readonly reason?: string;
      /**
       * `system`: no user answered or could be asked. Applies only to this call. @default "person"
       */
      readonly by?: "person" | "system";
    };

/**
 * Asks users for approvals, on behalf of a program that uses the library. `pending` means that the
 * answer comes later.
 */
export interface ApprovalAdapter {
  /**
   * `signal` aborts when the answer is no longer needed; its reason is the decision that was made
   * instead.
   */
  request(
    request: ApprovalRequest,
    signal: AbortSignal,
    check: AnswerCheck,
  ): ApprovalAnswer | Promise<ApprovalAnswer>;
  /**
   * Shows a result to a user before the model reads it. Without this method, such results are
   * withheld.
   */
  review?(request: ReviewRequest, signal: AbortSignal): ReviewAnswer | Promise<ReviewAnswer>;
}

/**
 * Returns why an answer is invalid, so that the user can correct it, or undefined if it is valid.
 */
export type AnswerCheck = (
  decision: ApprovalDecision,
) => string | undefined | Promise<string | undefined>;

/** An approval adapter's answer; `pending` means that the decision comes later. */
export type ApprovalAnswer = ApprovalDecision | { readonly decision: "pending" };

/** Returns the SHA-256 of a call's arguments, together with the variables that it reads. */
export function callDigest(args: JsonObject, variables?: VariableDigests): string {
  return digest(variables === undefined ? args : { args, variables });
}

/**
 * Adds `argsDigest` to a request, computed when it is first read, because hashing takes longer than
 * most of the gate.
 *
 * @param compute returns the digest of the request's arguments
 */
export function withArgsDigest<Plain extends object>(
  plain: Plain,
  compute: () => string,
): Plain & Pick<ApprovalRequest, "argsDigest"> {
  return Object.defineProperty(plain, "argsDigest", { enumerable: true, get: compute }) as Plain &
    Pick<ApprovalRequest, "argsDigest">;
}

interface AnswerProblemOptions {
  /** The answer from a program or a client, not validated. */
  readonly decision: unknown;
  readonly approval: Pick<ApprovalRequest, "args" | "grant">;
  /** The call's arguments in the form that rules compare. @default the approval's */
  readonly args?: ToolArgs;
  readonly now: number;
}

/**
 * Returns a sentence that says why an answer is invalid, or undefined if it is an
 * `ApprovalDecision` that fits its request. A wider answer must cover the requested call.
 */
export function answerProblem(options: AnswerProblemOptions): string | undefined {
  const { decision, approval, now, args = approval.args } = options;
  if (!isObject(decision) || !["allow", "refuse"].includes(decision["decision"] as string))
    return 'decision: expected "allow" or "refuse".';
  if (decision["decision"] === "refuse") {
    const { reason } = decision;
    return reason === undefined || typeof reason === "string"
      ? undefined
      : "reason: expected a text with the reason.";
  }
  const { scope = "once", covers, expiresAt, arguments: edited } = decision;
  if (!scopes.includes(scope)) return "scope: expected once, session or always.";
  if (edited !== undefined && !isObject(edited))
    return 'arguments: expected a JSON object such as {"path": "."}.';
  if (scope === "once") {
    const given = covers !== undefined ? "covers" : expiresAt !== undefined && "expiresAt";
    return given === false ? undefined : `${given}: this needs scope session or always.`;
  }
  if (edited !== undefined)
    return "scope: changed arguments apply only to this call. Answer once, or leave the arguments unchanged.";
  if (approval.grant === undefined)
    return "scope: a rule requires approval every time, so an answer applies only to this call. Answer once.";
  if (expiresAt !== undefined && !(Number.isFinite(expiresAt) && (expiresAt as number) > now))
    return "expiresAt: expected a future time, in milliseconds since the epoch.";
  return covers === undefined ? undefined : coverProblem(covers, args);
}

function coverProblem(covers: unknown, args: ToolArgs): string | undefined {
  const type = isObject(covers) ? covers["type"] : undefined;
  if (type !== "pattern")
    return ["offer", "arguments", "tool"].includes(type as string)
      ? undefined
      : "covers.type: expected offer, arguments, pattern or tool.";
  const { when } = covers as Extract<GrantCover, { readonly type: "pattern" }>;
  const [problem] = conditionProblems(when, ["covers", "when"]);
  if (problem !== undefined) return `${problem.path.join(".")}: ${problem.message}`;
  return conditionsHold(when, args, "every")
    ? undefined
    : "covers.when: this pattern does not cover the requested call. Widen it, or answer once.";
}

const scopes: readonly unknown[] = ["once", "session", "always"];
