import type { ExecuteOptions } from "./call-setup.ts";
import type { PatternEngine } from "../arguments/pattern-check.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { CapstanError } from "../base/errors.ts";
import { estimateTokens } from "../text/truncate.ts";
import type {
  ApprovalAdapter,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequest,
} from "../policy/approval.ts";
import type { ReviewAnswer, ReviewDecision, ReviewRequest } from "../policy/review.ts";
import { GrantBook, approvalQuery } from "../policy/grant.ts";
import { type PolicyRule, checkRules } from "../policy/rule.ts";
import {
  type RegisteredTool,
  ToolRegistry,
  Switches,
  type ToolsChange,
  isEnabled,
} from "../tool/registry.ts";
import type { Tool, ToolGroup } from "../tool/tool.ts";
import {
  type Caller,
  callerWith,
  localCaller,
  type Principal,
  type RequestContext,
  type RequestTools,
} from "../tool/caller.ts";
import { type SettingsByTool, withToolSettings } from "../tool/tool-settings.ts";
import type { StoreFile } from "../tool/stored-file.ts";
import { LruCache } from "../base/lru-cache.ts";
import type { ToolDefinition } from "../model/model.ts";
import {
  type ToolOffer,
  type SchemaProblem,
  schemaProblems,
  type OfferOptions,
  isAllowed,
  offerTools,
} from "../tool/tool-offer.ts";
import { deferralTool, groupIndex } from "../tool/group-index.ts";
import { dropSkillRules, registerSkillRules, toolRules } from "../tool/tool-rules.ts";
import { VariableSystem } from "../variables/variable-system.ts";
import { requestApproval, requestReview } from "./ask/request-answer.ts";
import type { CallRecord } from "./record/call-record.ts";
import { checkAnswer, restoreApprovalRequest } from "./propose/answer-proposal.ts";
import { approvalRequest } from "./gate/call-host.ts";
import { type Gate, type GateLimits, gateLimits } from "./gate/gate.ts";
import { newId } from "../base/id.ts";
import type { CallRequest } from "./propose/propose.ts";
import type { Ledger } from "./record/ledger.ts";
import { Scheduler } from "./schedule/scheduler.ts";
import { callInReview, previewReviewed, reviewRequest } from "./settle/review-result.ts";
import type { ToolExecuteResult } from "./record/call-outcome.ts";
import type { SettledToolResult } from "../tool/tool-result.ts";
import { runDirectCall } from "./direct-call.ts";

const noSettings: SettingsByTool = {};

/** The number of stored files that a tool can return again. */
const maxStoredFiles = 1_000;

/** The options of `ToolExecutor`. All are optional. */
export interface ToolExecutorOptions {
  /** @default a new, empty one */
  readonly variables?: VariableSystem;
  readonly grants?: GrantBook;
  /** The administrator's rules; no grant or request overrides them. */
  readonly rules?: readonly PolicyRule[];
  /** The user's overrides. A function is called for each call, so the overrides can change. */
  readonly overrides?: readonly PolicyRule[] | (() => readonly PolicyRule[]);
  /**
   * Asks users for approvals and reviews. Without one, calls that need an approval are rejected.
   */
  readonly approvals?: ApprovalAdapter;
  /** The session's principal. @default { id: "local" } */
  readonly principal?: Principal;
  /** The request context of calls that specify none. */
  readonly request?: RequestContext;
  /**
   * The files that tools can read, by `group.Tool`, bare name or type, and `_all`. A call can
   * specify its own files.
   */
  readonly files?: Caller["files"];
  /** The installation's settings of tools, in place of the tools' own, by `group.Tool`. */
  readonly toolSettings?: SettingsByTool;
  /** The tools as a request declares them: the `tool` of contexts. */
  readonly tools?: RequestTools;
  /**
   * Stores the states of the calls made with `execute`. A chain stores its calls in its journal.
   */
  readonly ledger?: Ledger;
  /**
   * Stores the images and files that tools return, so that records, events and messages contain
   * only references. @default they contain the bytes
   */
  readonly storeFile?: StoreFile;
  /** Counts a text's tokens. @default four characters are one token */
  readonly countTokens?: (text: string) => number;
  readonly clock?: Clock;
  /**
   * Matches `pattern`s that could hang JavaScript's own engine, in linear time. Without one, such
   * patterns are not enforced, and `schemaProblems` reports them.
   */
  readonly patternEngine?: PatternEngine;
  /** Returns a number from 0 to 1 that spreads retries. @default Math.random */
  readonly random?: () => number;
  readonly limits?: Partial<GateLimits>;
}

/**
 * The gate. Every call of a tool goes through it: it checks that the tool is registered and enabled
 * and that the call is valid and permitted, and records the call.
 *
 * @example
 * const executor = new ToolExecutor({ approvals });
 * executor.registerToolGroup(group);
 * executor.toggleGroupEnabled(group.name, true);
 * const result = await executor.execute("Add", { a: 1, b: 2 });
 */
export class ToolExecutor {
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly approvals: ApprovalAdapter | undefined;
  readonly #toolSettings: SettingsByTool;
  readonly #listeners = new Set<(change: ToolsChange) => void>();
  /**
   * Rows in quarantine whose review was answered. A second answer must not release a withheld
   * result.
   */
  readonly #answered = new WeakSet<CallRecord>();

  /**
   * @throws CapstanError `invalid_rule` or `invalid_limits`, which names the invalid value and its
   * path
   */
  constructor(options: ToolExecutorOptions = {}) {
    const limits = gateLimits(options.limits);
    const { rules = [], overrides = [] } = options;
    checkRules("rules", rules);
    if (typeof overrides !== "function") checkRules("overrides", overrides);
    this.gate = {
      registry: new ToolRegistry(),
      switches: new Switches(),
      variables: options.variables ?? new VariableSystem(),
      grants: options.grants ?? new GrantBook(),
      rules,
      overrides: typeof overrides === "function" ? overrides : () => overrides,
      caller: callerWith(localCaller, options),
      ledger: options.ledger,
      activeCalls: [],
      storeFile: options.storeFile,
      storedFiles: new LruCache(maxStoredFiles),
      countTokens: options.countTokens ?? estimateTokens,
      clock: options.clock ?? systemClock,
      patternEngine: options.patternEngine,
      random: options.random ?? Math.random,
      limits,
    };
    this.scheduler = new Scheduler(limits.callsAtOnce);
    this.approvals = options.approvals;
    this.#toolSettings = options.toolSettings ?? noSettings;
    registerSkillRules(this.gate.variables);
  }

  get variables(): VariableSystem {
    return this.gate.variables;
  }

  /**
   * Adds a group, or the group that a function returns. A new group is disabled. A group that is
   * added again after a removal keeps its switch. The group's skill rules become variables.
   *
   * @throws CapstanError `duplicate_tool_group` with both owners, `invalid_tool_group`, or
   * `invalid_tool` with the tool's name and the problem. Then nothing is added.
   */
  registerToolGroup(group: ToolGroup | (() => ToolGroup)): void {
    const given = typeof group === "function" ? group() : group;
    const made = withToolSettings(given, this.#toolSettings);
    this.gate.registry.register(made);
    registerSkillRules(this.gate.variables, made);
    this.#announce({ type: "group.registered", group: made.name });
  }

  /**
   * Removes a group's tools and rules. Its running calls end normally. Returns false if there is no
   * such group.
   */
  unregisterToolGroup(name: string): boolean {
    const group = this.gate.registry.group(name);
    if (group === undefined) return false;
    this.gate.registry.unregister(name);
    dropSkillRules(this.gate.variables, group);
    this.#announce({ type: "group.unregistered", group: name });
    return true;
  }

  /**
   * Calls back after every change of the registered or enabled tools. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: (change: ToolsChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #announce(change: ToolsChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch {
        // An error in a listener must not undo the change.
      }
    }
  }

  groups(): readonly ToolGroup[] {
    return this.gate.registry.groups();
  }

  getTool(name: string): Tool | undefined {
    return this.#registered(name)?.tool;
  }

  isGroupEnabled(name: string): boolean {
    return this.gate.registry.group(name) !== undefined && this.gate.switches.group(name);
  }

  /**
   * Enables or disables a group. Without a value, toggles it. Returns false if there is no
   * such group.
   */
  toggleGroupEnabled(name: string, enabled: boolean = !this.isGroupEnabled(name)): boolean {
    if (this.gate.registry.group(name) === undefined) return false;
    this.gate.switches.setGroup(name, enabled);
    this.#announce({ type: "group.switched", group: name, enabled });
    return true;
  }

  isToolEnabled(name: string): boolean {
    const registered = this.#registered(name);
    return registered !== undefined && this.gate.switches.tool(registered.id);
  }

  /**
   * Enables or disables a tool, by `group.Tool` or bare name. Returns false if there is no such
   * tool.
   */
  setToolEnabled(name: string, enabled: boolean): boolean {
    const registered = this.#registered(name);
    if (registered === undefined) return false;
    this.gate.switches.setTool(registered.id, enabled);
    this.#announce({ type: "tool.switched", toolId: registered.id, enabled });
    return true;
  }

  /**
   * Returns the enabled tools of these groups, or of all groups. Always-offered tools are included
   * if there is any other tool.
   */
  enabledTools(groups?: readonly string[]): readonly RegisteredTool[] {
    const wanted = groups === undefined ? undefined : new Set(groups);
    const chosen: RegisteredTool[] = [];
    let others = false;
    for (const registered of this.gate.registry.tools()) {
      const always = registered.tool.alwaysOffered === true;
      if (!isEnabled(this.gate, registered)) continue;
      if (!always && wanted !== undefined && !wanted.has(registered.group.name)) continue;
      others ||= !always;
      chosen.push(registered);
    }
    return others || this.#hasSessionVariables() ? chosen : [];
  }

  /**
   * Returns the tools that a request shows to the model, and the meaning of each name. A client's
   * tools keep their names.
   */
  offer(options: OfferOptions = {}): ToolOffer {
    const { groups, clientTools = [], allowTool, deferral } = options;
    const search = deferral && this.gate.registry.tool(deferral.searchTool);
    const enabled = this.enabledTools(groups);
    // The search tool also finds a client's deferred tools, so its own group need not be enabled.
    const tools = search === undefined || enabled.includes(search) ? enabled : [...enabled, search];
    const offered = tools.filter(
      (tool) =>
        (allowTool === undefined || isAllowed(allowTool(tool.id), tool.id)) &&
        // One invalid schema makes providers reject the whole request.
        !this.#isRefused(tool),
    );
    return offerTools(offered, clientTools, deferral);
  }

  /**
   * Returns the registered tools whose schemas are invalid or not fully enforced. A tool with an
   * invalid schema is not offered.
   */
  schemaProblems(): readonly SchemaProblem[] {
    return [...this.gate.registry.tools()].flatMap((tool) =>
      schemaProblems(tool, this.gate.patternEngine),
    );
  }

  getEnabledToolDefinitions(): readonly ToolDefinition[] {
    return this.offer().definitions;
  }

  /**
   * Returns the prompt's section on the offered tools, under the names that the model sees. Empty
   * if no tools are offered. Deferred tools are listed by group only.
   */
  toolRules(options: OfferOptions = {}): string {
    const { names, clientNames, definitions, deferred } = this.offer(options);
    const offered = Object.entries(names).flatMap(([name, id]) => {
      const registered = this.gate.registry.tool(id);
      return registered === undefined ? [] : [{ ...registered, name }];
    });
    if (deferred === undefined) return toolRules(offered, clientNames);
    const byName = new Map(offered.map((tool) => [tool.name, tool]));
    const shown = definitions.flatMap(({ function: { name } }) => byName.get(name) ?? []);
    const hidden = [...deferred].map((name) => byName.get(name)?.group);
    const find = deferralTool(names, options.deferral);
    return toolRules(shown, clientNames, { index: groupIndex(hidden, find) });
  }

  /**
   * Makes one call, from proposal to result. Never throws for an error of the tool or its caller:
   * the result's `status` reports it. The status is `pending` if the approval adapter answers
   * later.
   */
  async execute(
    name: string,
    args: JsonObject | string,
    options: ExecuteOptions = {},
  ): Promise<ToolExecuteResult> {
    const { callId = newId("call_") } = options;
    const { id: principalId } = callerWith(this.gate.caller, options.caller).principal;
    const request: CallRequest = {
      callId,
      name,
      args,
      round: 0,
      idempotencyKey: callId,
      requireApproval: options.requireApproval,
      principalId: principalId === this.gate.caller.principal.id ? undefined : principalId,
    };
    return runDirectCall(this, { callId, entry: { at: "propose", request }, options });
  }

  /**
   * Continues or ends a call for which `execute` returned `pending`, here or in another process.
   * The stored call runs. Answer it once, with the same options as `execute`.
   *
   * @param record the waiting call, from `execute` or from the ledger
   * @throws CapstanError `not_awaited` if the record does not wait for an approval, was answered
   * already, or was changed
   */
  async answerApproval(
    record: CallRecord,
    decision: ApprovalDecision,
    options: Omit<ExecuteOptions, "callId"> = {},
  ): Promise<ToolExecuteResult> {
    const isAnswered = this.#answered.has(record);
    const asked = isAnswered ? "it was answered." : restoreApprovalRequest(this.gate, record);
    this.#answered.add(record);
    const why =
      typeof asked === "string" ? asked : await this.checkAnswer(asked.approval, decision);
    if (typeof asked === "string" || why !== undefined) {
      // The call still waits: the caller may answer again after an invalid answer.
      if (!isAnswered) this.#answered.delete(record);
      const message = `The call ${record.callId} cannot be answered this way: ${why}`;
      throw new CapstanError({ code: "not_awaited", message });
    }
    const pending = approvalRequest(asked);
    return runDirectCall(this, {
      callId: record.callId,
      entry: { at: "suspended", pending },
      options,
      answer: decision,
    });
  }

  /**
   * Stops one call and its sub-calls. Returns false if it has ended, or waits in a chain for a
   * user.
   */
  cancel(callId: string, reason = "a user stopped it"): boolean {
    const stopped = this.gate.activeCalls.filter((call) => call.callId === callId);
    for (const call of stopped) call.stop(reason);
    return stopped.length > 0;
  }

  /** Stops all running and queued calls, including those of chains. */
  cancelAll(reason = "all calls were stopped"): void {
    // A call that stops synchronously leaves the array during the loop.
    const calls = [...this.gate.activeCalls];
    for (const call of calls) call.stop(reason);
  }

  /**
   * Requests an approval from the adapter. The call is rejected if there is no adapter, or if it
   * throws or does not answer in time.
   */
  async ask(approval: ApprovalRequest, signal?: AbortSignal): Promise<ApprovalAnswer> {
    const { approvals: adapter } = this;
    const { clock, grants, registry } = this.gate;
    const query = approvalQuery(approval, registry.tool(approval.toolId));
    const check = (decision: ApprovalDecision) => this.checkAnswer(approval, decision);
    return requestApproval({ adapter, approval, clock, signal, grants, query, check });
  }

  /**
   * Returns a sentence that says why an answer to a request is invalid, or undefined if it is
   * valid. The answer may be untrusted.
   */
  async checkAnswer(approval: ApprovalRequest, decision: unknown): Promise<string | undefined> {
    const registered = this.gate.registry.tool(approval.toolId);
    // If the tool was removed, no answer can run the call, so all are accepted.
    if (registered === undefined) return undefined;
    return checkAnswer({ gate: this.gate, registered, approval, decision });
  }

  /** Requests a review of a result. The result is withheld if there is no reviewer. */
  async review(request: ReviewRequest, signal?: AbortSignal): Promise<ReviewAnswer> {
    const { approvals: adapter } = this;
    return requestReview({ adapter, request, clock: this.gate.clock, signal });
  }

  /**
   * Settles a call whose result waited for a review: `execute` returned `pending` for it, here or
   * in another process. Answer it once; the ledger stores its end.
   *
   * @param record the call in quarantine, from `execute` or from the ledger
   * @throws CapstanError `not_in_review` if the record is of another call or was answered already,
   * or if its tool is not registered
   */
  async settleReviewed(record: CallRecord, decision: ReviewDecision): Promise<SettledToolResult> {
    const registered = this.gate.registry.tool(record.toolId ?? "");
    const isAnswered = this.#answered.has(record);
    if (record.quarantine === undefined || registered === undefined || isAnswered) {
      const why = isAnswered
        ? "it was answered"
        : registered === undefined
          ? `its tool ${record.toolId ?? record.name} is not registered here`
          : `it is ${record.status}`;
      const message = `The call ${record.callId} does not wait for a review: ${why}.`;
      throw new CapstanError({ code: "not_in_review", message });
    }
    this.#answered.add(record);
    const pending = reviewRequest(callInReview(record, registered));
    const result = await runDirectCall(this, {
      callId: record.callId,
      entry: { at: "suspended", pending },
      answer: decision,
    });
    if (result.status === "pending")
      throw new TypeError(`The call ${record.callId} still waits after its answer.`);
    return result;
  }

  /** Returns the text that the model would get after this review. Has no side effects. */
  previewReviewed(record: CallRecord, decision: ReviewDecision): string {
    const registered = this.gate.registry.tool(record.toolId ?? "");
    return previewReviewed(this.gate, { record, registered }, decision);
  }

  #registered(name: string): RegisteredTool | undefined {
    const byId = this.gate.registry.tool(name);
    if (byId !== undefined) return byId;
    for (const registered of this.gate.registry.tools())
      if (registered.name === name) return registered;
    return undefined;
  }

  #isRefused(tool: RegisteredTool): boolean {
    return schemaProblems(tool, this.gate.patternEngine).some(({ status }) => status === "refused");
  }

  #hasSessionVariables(): boolean {
    return this.gate.variables.listVariables().some((variable) => variable.type !== "RULE");
  }
}
