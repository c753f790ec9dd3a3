import { loadSchemaChecks } from "../../arguments/schema-checks.ts";
import { frozenJson, isObject, lostInJson } from "../../json/json-value.ts";
import {
  extractLimit,
  mayHoldUrls,
  type PreparedArguments,
  prepareArguments,
  parseArguments,
  type ParsedArguments,
} from "../../arguments/prepare-arguments.ts";
import type { JsonObject, JsonSchema } from "../../base/json.ts";
import { plainUrls } from "../../arguments/url-arguments.ts";
import { type ApprovalRequest, callDigest, withArgsDigest } from "../../policy/approval.ts";
import type { OfferedGrant, SharedTool, Tool } from "../../tool/tool.ts";
import { conditionsHold } from "../../arguments/argument-conditions.ts";
import {
  decide,
  type Decision,
  type RequireApproval,
  type RequireApprovalOf,
  requiredApproval,
} from "../../policy/decide.ts";
import { grantScope } from "../../policy/grant.ts";
import { conditionProblems, canonicalArguments } from "../../policy/rule.ts";
import { definitionDigest, type RegisteredTool, titleOf, findTool } from "../../tool/registry.ts";
import { type ResolveOutcome, resolveOrReadBack } from "../../variables/resolve-references.ts";
import type { ShownPreview, ShownVariable } from "../../text/visible-text.ts";
import {
  type ReadVariables,
  readVariables,
  shownVariables,
  variableDigests,
} from "../gate/bound-variables.ts";
import { previewCall } from "../gate/preview.ts";
import type { CallDecision, CallRecord } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";
import { keepsResults } from "../settle/keep-result.ts";
import type { Mutable } from "../../base/mutable.ts";
import { newId } from "../../base/id.ts";
import type { Proposal } from "../gate/call-host.ts";
import { rejectCall, failCall } from "../gate/settle-without-result.ts";
import type { PatternEngine } from "../../arguments/pattern-check.ts";
import { errorMessage } from "../../base/errors.ts";

/** A requested call, before the gate has checked it. */
export interface CallRequest {
  readonly callId: string;
  readonly name: string;
  /**
   * The names that the model was shown, name → `group.Tool`. If absent, tools are found by id or
   * bare name.
   */
  readonly names?: { readonly [modelName: string]: string };
  /** The arguments as the model's text, or as a program's object. */
  readonly args: string | JsonObject;
  readonly round: number;
  readonly idempotencyKey: string;
  readonly parentCallId?: string;
  readonly requireApproval?: RequireApproval | RequireApprovalOf | undefined;
  /** The id of the call's principal, if it is not the session's. */
  readonly principalId?: string | undefined;
  /** Returns whether a tool is hidden for this request. @default only tools that are hidden themselves */
  readonly hides?: ((toolId: string) => boolean) | undefined;
  /** The time of the proposal, in ms since the epoch. @default now */
  readonly at?: number;
  /**
   * Whether references in the arguments are resolved. False keeps a script's text unchanged.
   * @default true
   */
  readonly references?: boolean;
}

const none: readonly string[] = [];

/**
 * The first segment, stages 1 to 5: checks the call and decides whether it may run. Has no side
 * effects.
 */
export function propose(gate: Gate, request: CallRequest): Proposal | Promise<Proposal> {
  const { at: now = gate.clock.now() } = request;
  const { parsed, text } = readArguments(request.args);
  const found = findTool(gate, request.name, request.names);
  const record = newRecord(request, now, text);
  if (found.status === "found") setTool(record, gate, found.registered, request);
  if (found.status === "not_found") return failCall(gate, record, "not_found", found.error);
  if (parsed.status === "failed") return failCall(gate, record, "error", parsed.error);

  const { registered } = found;
  const taken = extractLimit(parsed.args, registered.tool.definition);
  const { args: unlimited, limit } = taken;
  if (limit !== undefined) record.limit = limit;
  const given: Given = {
    record,
    registered,
    repairs: taken.repairs.length === 0 ? parsed.repairs : [...parsed.repairs, ...taken.repairs],
    requireApproval: requiredApproval(request.requireApproval, registered.id),
  };
  const resolved =
    request.references === false
      ? { status: "resolved" as const, args: unlimited, references: [] }
      : resolveOrReadBack(unlimited, {
          variables: gate.variables,
          schema: registered.tool.definition.function.parameters,
        });
  return resolved instanceof Promise
    ? resolved.then((outcome) => checkResolved(gate, given, outcome, gate.clock.now()))
    : checkResolved(gate, given, resolved, now);
}

/**
 * The record of a call before it is checked.
 *
 * @param at ms since the epoch
 * @param argumentsText the arguments, if they are known as text
 */
export function newRecord(
  request: CallRequest,
  at: number,
  argumentsText = typeof request.args === "string" ? request.args : "",
): Mutable<CallRecord> {
  const record: Mutable<CallRecord> = {
    callId: request.callId,
    name: request.name,
    owner: "server",
    round: request.round,
    status: "proposed",
    argumentsText,
    repairs: none,
    idempotencyKey: request.idempotencyKey,
    proposedAt: at,
  };
  if (request.parentCallId !== undefined) record.parentCallId = request.parentCallId;
  if (request.principalId !== undefined) record.principalId = request.principalId;
  return record;
}

/**
 * Sets the tool's fields in a call's record, and reserves the result's name. Names are reserved
 * here so that they follow the order of the calls in the model's message, not the order in which
 * the calls end.
 */
function setTool(
  record: Mutable<CallRecord>,
  { variables }: Gate,
  { id, name, tool }: RegisteredTool,
  { hides }: CallRequest,
): void {
  record.toolId = id;
  if (keepsResults(tool)) record.keepAs = variables.nameResult(name);
  if (tool.final === true && record.parentCallId === undefined) record.final = true;
  if (tool.hidden === true || hides?.(id) === true) record.hidden = true;
}

/** Runs stages 4 and 5 on the resolved arguments of stage 3. */
function checkResolved(
  gate: Gate,
  given: Given,
  resolved: ResolveOutcome,
  now: number,
): Proposal | Promise<Proposal> {
  const { record, registered } = given;
  if (resolved.status === "failed") return failCall(gate, record, "error", resolved.error);
  const checked = checkArguments(registered.tool, resolved.args, gate.patternEngine);
  return checked instanceof Promise
    ? checked.then((result) => decideWithVariables(gate, given, result, gate.clock.now()))
    : decideWithVariables(gate, given, checked, now);
}

function decideWithVariables(
  gate: Gate,
  given: Given,
  checked: PreparedArguments,
  now: number,
): Proposal | Promise<Proposal> {
  const { tool } = given.registered;
  if (checked.status === "invalid" || tool.permission?.readsVariables === undefined)
    return decideOn(gate, given, checked, now);
  const read = readVariables(gate.variables, tool, checked.args);
  return read instanceof Promise
    ? read.then((found) => decideOn(gate, given, checked, gate.clock.now(), found))
    : decideOn(gate, given, checked, now, read);
}

interface Given {
  /** Mutating is safe: no other code has a reference to the record yet. */
  readonly record: Mutable<CallRecord>;
  readonly registered: RegisteredTool;
  readonly repairs: readonly string[];
  readonly requireApproval: RequireApproval | undefined;
}

/** Runs stage 5 on arguments that passed stage 4. */
function decideOn(
  gate: Gate,
  given: Given,
  checked: PreparedArguments,
  now: number,
  read?: ReadVariables,
): Proposal | Promise<Proposal> {
  const { record, registered, requireApproval } = given;
  if (checked.status === "invalid") return failCall(gate, record, "error", checked.error);
  if (read?.status === "failed") return failCall(gate, record, "error", read.error);
  const { args } = checked;
  record.args = args;
  record.repairs =
    checked.repairs.length === 0 ? given.repairs : [...given.repairs, ...checked.repairs];

  let known: string | undefined;
  const argsDigest = (): string =>
    (known ??= callDigest(args, read && variableDigests(read.found)));
  const decision = decide({
    registered,
    args,
    argsDigest,
    rules: gate.rules,
    overrides: gate.overrides(),
    grants: gate.grants,
    principalId: record.principalId ?? gate.caller.principal.id,
    requireApproval,
    now,
  });
  if (decision.verdict === "allow") {
    record.status = "approved";
    record.decision = allowedBy(decision);
    record.decidedAt = now;
    if (read !== undefined && decision.isExact === true)
      record.variables = variableDigests(read.found);
    return { status: "approved", registered, record };
  }
  if (decision.verdict === "deny") {
    record.decision = { verdict: "refused", by: decision.by, reason: decision.reason };
    record.decidedAt = now;
    return rejectCall(gate, record, decision.reason);
  }
  if (read?.missing !== undefined) return failCall(gate, record, "error", read.missing);
  // Frozen, because several listeners get the arguments of an approval request, and the tool
  // receives exactly these.
  const asked = frozenJson(args);
  const ask = (preview?: ShownPreview): Proposal => {
    const { approval, kept } = approvalRequests(gate, {
      record,
      registered,
      args: asked,
      argsDigest,
      decision,
      variables: read && shownVariables(read.found),
      preview,
    });
    if (read !== undefined) record.variables = variableDigests(read.found);
    record.args = asked;
    record.status = "waiting";
    record.approval = kept;
    return { status: "asks", registered, approval, record: Object.freeze(record) };
  };
  const previewing = previewCall({ gate, registered, args: asked, record });
  if (previewing === undefined) return ask();
  return previewing.then((found) =>
    found.status === "shown" ? ask(found.preview) : failCall(gate, record, "error", found.error),
  );
}

interface ApprovalInput {
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  readonly args: JsonObject;
  readonly argsDigest: () => string;
  readonly decision: Extract<Decision, { readonly verdict: "ask" }>;
  readonly variables: readonly ShownVariable[] | undefined;
  readonly preview: ShownPreview | undefined;
}

/**
 * Returns the approval request and its stored form. The stored form omits the arguments, because
 * the record already has them.
 */
function approvalRequests(
  gate: Gate,
  { record, registered, args, argsDigest, decision, variables, preview }: ApprovalInput,
): { readonly approval: ApprovalRequest; readonly kept: Omit<ApprovalRequest, "args"> } {
  const createdAt = gate.clock.now();
  const offer = decision.grantable ? frozenJson(offerOf(registered, args)) : undefined;
  const common = {
    id: newId("appr_"),
    callId: record.callId,
    toolId: registered.id,
    toolName: registered.name,
    groupTitle: titleOf(registered.group),
    description: registered.tool.definition.function.description ?? "",
    definitionDigest: definitionDigest(registered.tool),
    ...(variables !== undefined && { variables: frozenJson(variables) }),
    ...(preview !== undefined && { preview: Object.freeze(preview) }),
    reason: decision.reason,
    remember: decision.remember,
    ...(offer !== undefined && { grant: offer }),
    ...(registered.tool.effects === "read" && { readOnly: true as const }),
    createdAt,
    expiresAt: createdAt + (decision.approvalMs ?? gate.limits.approvalMs),
    principalId: record.principalId ?? gate.caller.principal.id,
  };
  return {
    approval: Object.freeze(withArgsDigest({ ...common, args }, argsDigest)),
    kept: Object.freeze(withArgsDigest(common, argsDigest)),
  };
}

/**
 * Returns the default scope of a wider approval. Returns nothing if the tool's pattern is invalid
 * or does not cover this call, because a guess could be too wide.
 */
function offerOf(registered: RegisteredTool, args: JsonObject): OfferedGrant | undefined {
  if (registered.tool.permission?.grantScope === undefined)
    return { title: `every call of ${registered.name}` };
  const scope = grantScope(registered, args);
  if (scope === undefined) return undefined;
  const { when, key } = scope;
  if (when !== undefined) {
    const fits =
      conditionProblems(when).length === 0 &&
      conditionsHold(when, canonicalArguments(registered.tool, args), "every");
    if (!fits) return undefined;
  }
  const others = when === undefined && key === undefined ? [] : sharingTools(registered);
  const names = [registered.name, ...others.map(({ name }) => name)].join(", ");
  return {
    ...(key !== undefined && { key }),
    ...(when !== undefined && { when }),
    title: `${names}: ${scope.title}`,
    ...(others.length > 0 && {
      sharedWith: others.map(({ toolId, definitionDigest: digest }) => ({
        toolId,
        definitionDigest: digest,
      })),
    }),
  };
}

/**
 * Returns the other tools of the group that share the tool's grants. Tools with other effects are
 * left out, because the user decides about a call with the effects of this tool.
 */
function sharingTools({
  tool,
  group,
  id,
}: RegisteredTool): readonly (SharedTool & { readonly name: string })[] {
  const name = tool.permission?.sharesGrants;
  if (name === undefined) return [];
  return group.tools.flatMap((other) => {
    const toolName = other.definition.function.name;
    const toolId = `${group.name}.${toolName}`;
    if (toolId === id || other.permission?.sharesGrants !== name || other.effects !== tool.effects)
      return [];
    return [{ toolId, definitionDigest: definitionDigest(other), name: toolName }];
  });
}

/** The decision for nearly every call. All these calls share one object, to save memory. */
const allowedByTool: CallDecision = Object.freeze({ verdict: "allowed", by: "tool" });

function allowedBy({ by, reason }: Extract<Decision, { readonly verdict: "allow" }>): CallDecision {
  if (reason !== undefined) return { verdict: "allowed", by, reason };
  return by === "tool" ? allowedByTool : { verdict: "allowed", by };
}

/**
 * Stage 4: checks arguments against a tool's schema and its own check, and repairs them if no
 * information is lost. Returns a promise only if the tool's own check returns one, or if the
 * library that checks schemas is not loaded yet.
 *
 * @param patternEngine matches patterns that could hang JavaScript's own engine; without it they
 * are not enforced
 * @returns the arguments for the tool, or an error that names the invalid ones
 * @example await checkArguments(viewFile, { path: 5 }) // valid, with path "5"
 */
export function checkArguments(
  tool: Tool,
  args: JsonObject,
  patternEngine?: PatternEngine,
): PreparedArguments | Promise<PreparedArguments> {
  const loading = loadSchemaChecks();
  if (loading !== undefined) return loading.then(() => checkArguments(tool, args, patternEngine));
  const { name } = tool.definition.function;
  const parameters = tool.argumentsSchema ?? tool.definition.function.parameters;
  const valid = prepareArguments(args, parameters, {
    pattern: patternEngine,
    example: tool.examples?.[0]?.args,
  });
  const prepared =
    valid.status === "valid" && parameters !== undefined && mayHoldUrls(parameters)
      ? withPlainUrls(valid, parameters, patternEngine)
      : valid;
  if (prepared.status === "invalid" || tool.check === undefined) return prepared;
  try {
    const problems = tool.check(prepared.args);
    if (!(problems instanceof Promise)) return refuseFor(name, problems) ?? prepared;
    return problems.then(
      (found) => refuseFor(name, found) ?? prepared,
      (thrown: unknown) => checkFailed(name, thrown),
    );
  } catch (thrown) {
    return checkFailed(name, thrown);
  }
}

function withPlainUrls(
  prepared: Extract<PreparedArguments, { readonly status: "valid" }>,
  schema: JsonSchema,
  pattern: PatternEngine | undefined,
): PreparedArguments {
  const urls = plainUrls(prepared.args, schema);
  if (urls.status === "ambiguous")
    return { status: "invalid", error: { code: "ambiguous_url", message: urls.message } };
  // A schema may list URLs in a non-canonical form; the canonical form matches too.
  const { status } = prepareArguments(urls.args, schema, { pattern });
  return status === "valid" ? { ...prepared, args: urls.args } : prepared;
}

function refuseFor(name: string, problems: readonly string[]): PreparedArguments | undefined {
  if (problems.length === 0) return undefined;
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  const message = `The arguments of ${name} are invalid:\n${list}\nCorrect them and call again.`;
  return { status: "invalid", error: { code: "invalid_arguments", message } };
}

function checkFailed(name: string, thrown: unknown): PreparedArguments {
  const message = `${name} could not check its arguments: ${errorMessage(thrown)}`;
  return { status: "invalid", error: { code: "check_failed", message } };
}

/** The result of stage 2: the parsed arguments and their text. */
export interface ReadArguments {
  readonly parsed: ParsedArguments;
  /** The original text. */
  readonly text: string;
}

/**
 * Stage 2. Parses a model's text. Copies a program's object, so that later changes of the object do
 * not change the proposed call.
 */
function readArguments(given: unknown): ReadArguments {
  if (typeof given === "string") return { parsed: parseArguments(given), text: given };
  if (given === undefined)
    return { parsed: { status: "parsed", args: {}, repairs: [] }, text: "{}" };
  if (!isObject(given)) return refused(`an object was expected, not ${kindOf(given)}`);
  try {
    const text = JSON.stringify(given);
    const lost = lostInJson(given, text);
    if (lost !== undefined) return refused(`they contain ${lost}`);
    return { parsed: parseArguments(text), text };
  } catch (thrown) {
    return refused(errorMessage(thrown));
  }
}

function refused(why: string): ReadArguments {
  const message = `The arguments are not plain data: ${why}.`;
  const error = { code: "invalid_arguments", message };
  return { parsed: { status: "failed", error }, text: "" };
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/**
 * Checks and copies arguments that a user put in place of the requested ones. They are checked like
 * the model's. References in them are not resolved.
 */
export function checkEditedArguments(
  { patternEngine }: Pick<Gate, "patternEngine">,
  tool: Tool,
  edited: unknown,
): PreparedArguments | Promise<PreparedArguments> {
  const { parsed } = readArguments(edited);
  return parsed.status === "failed"
    ? { status: "invalid", error: parsed.error }
    : checkArguments(tool, parsed.args, patternEngine);
}
