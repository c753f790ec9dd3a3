import type { PatternEngine } from "../arguments/pattern-check.ts";
import { type Clock, systemClock } from "../model/clock.ts";
import type { JsonObject } from "../model/json.ts";
import { estimateTokens } from "../output/estimate-tokens.ts";
import type { ApprovalAdapter, ApprovalAnswer, ApprovalRequest } from "../policy/approval.ts";
import type { RequireApproval } from "../policy/decide.ts";
import type { ReviewDecision, ReviewRequest } from "../policy/review.ts";
import { GrantBook } from "../policy/grant-book.ts";
import type { PolicyRule } from "../policy/rule.ts";
import { type RegisteredTool, ToolRegistry } from "../tool/registry.ts";
import { Switches } from "../tool/switches.ts";
import type { Tool, ToolGroup } from "../tool/tool.ts";
import type { Principal } from "../tool/tool-context.ts";
import type { ToolDefinition } from "../tool/tool-definition.ts";
import { offerTools, type ToolOffer } from "../tool/tool-offer.ts";
import { registerSkillRules, toolRules } from "../tool/tool-rules.ts";
import { VariableSystem } from "../variables/variable-system.ts";
import { answer } from "./answer.ts";
import { isOn } from "./find-tool.ts";
import { defaultGateLimits, type Gate, type GateLimits } from "./gate.ts";
import type { CallObserver } from "./call-observer.ts";
import { startCall } from "./live-call.ts";
import { newId } from "./new-id.ts";
import { type Proposal, propose } from "./propose.ts";
import { type SchemaProblem, schemaProblems } from "./schema-problems.ts";
import { Scheduler } from "./scheduler.ts";
import { unsettledResult } from "./unsettled-result.ts";
import type { ToolExecuteResult } from "./tool-execute-result.ts";

export interface ToolExecutorOptions {
  /** @default a new, empty one */
  readonly variables?: VariableSystem;
  readonly grants?: GrantBook;
  /** The administrator's rules; no grant or request lifts them. */
  readonly rules?: readonly PolicyRule[];
  /** The user's overrides. */
  readonly overrides?: readonly PolicyRule[];
  /** Who is asked. Without one the answer is no. */
  readonly approvals?: ApprovalAdapter;
  readonly principal?: Principal;
  /** @default four characters to a token */
  readonly countTokens?: (text: string) => number;
  readonly clock?: Clock;
  /**
   * A regular expression engine that takes linear time, for `pattern`s that JavaScript's own could
   * hang on. Without one these are not enforced, which `schemaProblems` says.
   */
  readonly patternEngine?: PatternEngine;
  readonly limits?: Partial<GateLimits>;
}

export interface OfferOptions {
  /** @default all that are on */
  readonly groups?: readonly string[];
  readonly clientTools?: readonly ToolDefinition[];
  readonly allowTool?: (toolId: string) => boolean;
}

export interface ExecuteOptions {
  /** @default a new id */
  readonly callId?: string;
  readonly signal?: AbortSignal;
  readonly requireApproval?: RequireApproval;
  /** False lifts the tool's own wish for a review, never a rule. @default true */
  readonly checkToolResults?: boolean;
  /** Told of what the call does while it runs. */
  readonly observer?: Partial<CallObserver>;
}

/**
 * The gate. Every call of a tool, whoever makes it, goes through here: known, switched on, valid,
 * permitted, recorded.
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
  /** The loop asks every round with the same object. */
  readonly #offers = new WeakMap<
    OfferOptions,
    { readonly revision: string; readonly offer: ToolOffer }
  >();

  constructor(options: ToolExecutorOptions = {}) {
    const limits = { ...defaultGateLimits, ...options.limits };
    this.gate = {
      registry: new ToolRegistry(),
      switches: new Switches(),
      variables: options.variables ?? new VariableSystem(),
      grants: options.grants ?? new GrantBook(),
      rules: options.rules ?? [],
      overrides: options.overrides ?? [],
      principal: options.principal ?? { id: "local" },
      countTokens: options.countTokens ?? estimateTokens,
      clock: options.clock ?? systemClock,
      patternEngine: options.patternEngine,
      limits,
    };
    this.scheduler = new Scheduler(limits.callsAtOnce);
    this.approvals = options.approvals;
    registerSkillRules(this.gate.variables);
  }

  get variables(): VariableSystem {
    return this.gate.variables;
  }

  /** Adds a group, switched off; its skill rules become variables. @throws CapstanError `duplicate_tool_group` */
  registerToolGroup(group: ToolGroup): void {
    this.gate.registry.register(group);
    registerSkillRules(this.gate.variables, group);
  }

  unregisterToolGroup(name: string): boolean {
    return this.gate.registry.unregister(name);
  }

  groups(): readonly ToolGroup[] {
    return this.gate.registry.groups();
  }

  getTool(name: string): Tool | undefined {
    return this.#registered(name)?.tool;
  }

  isGroupEnabled(name: string): boolean {
    return this.gate.switches.group(name);
  }

  /** Without a value, flips it. False where there is no such group. */
  toggleGroupEnabled(name: string, enabled: boolean = !this.isGroupEnabled(name)): boolean {
    if (this.gate.registry.group(name) === undefined) return false;
    this.gate.switches.setGroup(name, enabled);
    return true;
  }

  isToolEnabled(name: string): boolean {
    const registered = this.#registered(name);
    return registered !== undefined && this.gate.switches.tool(registered.id);
  }

  /** By `group.Tool` or bare name. False where there is no such tool. */
  setToolEnabled(name: string, enabled: boolean): boolean {
    const registered = this.#registered(name);
    if (registered === undefined) return false;
    this.gate.switches.setTool(registered.id, enabled);
    return true;
  }

  /** The tools that are on, of these groups or of all. Those always offered come with any other. */
  enabledTools(groups?: readonly string[]): readonly RegisteredTool[] {
    const wanted = groups === undefined ? undefined : new Set(groups);
    const chosen: RegisteredTool[] = [];
    let others = false;
    for (const registered of this.gate.registry.tools()) {
      const always = registered.tool.alwaysOffered === true;
      if (!isOn(this.gate, registered)) continue;
      if (!always && wanted !== undefined && !wanted.has(registered.group.name)) continue;
      others ||= !always;
      chosen.push(registered);
    }
    return others || this.#hasSessionVariables() ? chosen : [];
  }

  /** What a request shows the model, and what each name means. A client's tools keep their names. */
  offer(options: OfferOptions = {}): ToolOffer {
    const { registry, switches } = this.gate;
    const revision = `${registry.revision}.${switches.revision}`;
    const known = this.#offers.get(options);
    // Without a tool that is on, what is offered hangs on the variables too.
    if (known?.revision === revision && known.offer.definitions.length > 0) return known.offer;
    const { groups, clientTools, allowTool } = options;
    // A provider refuses a whole request for one schema that is none.
    const tools = this.enabledTools(groups).filter((tool) => !this.#isRefused(tool));
    const allowed = allowTool === undefined ? tools : tools.filter(({ id }) => allowTool(id));
    const offer = offerTools(allowed, clientTools);
    this.#offers.set(options, { revision, offer });
    return offer;
  }

  /** Tools whose schema is refused, so that they are not offered, or not wholly enforced; of all that are registered. */
  schemaProblems(): readonly SchemaProblem[] {
    return [...this.gate.registry.tools()].flatMap((tool) =>
      schemaProblems(tool, this.gate.patternEngine),
    );
  }

  getEnabledToolDefinitions(): readonly ToolDefinition[] {
    return this.offer().definitions;
  }

  /** The prompt's part on tools; empty where none is on. */
  toolRules(groups?: readonly string[]): string {
    return toolRules(this.enabledTools(groups), this.gate.variables);
  }

  /**
   * Makes one call, from proposal to result. Never throws for what a tool or its caller did
   * wrong: the result's `status` says what became of it. `pending` where the approval adapter
   * will answer later.
   */
  async execute(
    name: string,
    args: JsonObject | string,
    options: ExecuteOptions = {},
  ): Promise<ToolExecuteResult> {
    const callId = options.callId ?? newId("call_");
    const observer = this.#observer(options);
    const { requireApproval, signal } = options;
    const request = {
      callId,
      name,
      args,
      round: 0,
      idempotencyKey: callId,
      ...(requireApproval !== undefined && { requireApproval }),
    };
    let proposal: Proposal = await propose(this.gate, request);
    await observer.proposed(proposal);
    if (proposal.status === "asks") {
      const word = await this.ask(proposal.approval, signal);
      if (word.decision === "pending")
        return {
          status: "pending",
          callId,
          toolId: proposal.registered.id,
          approval: proposal.approval,
        };
      ({ proposal } = await answer(this.gate, proposal, word));
    }
    if (proposal.status === "approved" && signal?.aborted === true) {
      const error = {
        code: "cancelled",
        message: `${proposal.registered.name} was stopped before it began.`,
      };
      proposal = {
        status: "settled",
        ...unsettledResult(this.gate, proposal.record, { status: "cancelled", error }),
      };
    }
    if (proposal.status === "settled") {
      await observer.settled(proposal);
      return proposal.result;
    }
    const { gate, scheduler } = this;
    const { checkToolResults } = options;
    const call = startCall({
      gate,
      scheduler,
      observer,
      record: proposal.record,
      registered: proposal.registered,
      ...(checkToolResults !== undefined && { checkToolResults }),
    });
    const cancel = () => call.cancel("the caller stopped it");
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return (await call.settled).result;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Puts a question to the approval adapter. One that is not there, or throws, means no. */
  async ask(
    approval: ApprovalRequest,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ApprovalAnswer> {
    if (this.approvals === undefined)
      return {
        decision: "refuse",
        by: "system",
        reason: "it needs a person's approval, and nobody is there to ask",
      };
    try {
      return await this.approvals.request(approval, signal);
    } catch {
      const reason = "it needs a person's approval, and asking failed";
      return { decision: "refuse", by: "system", reason };
    }
  }

  /** Shows a result to a person first. Nobody there to see it means that it is withheld. */
  async review(
    request: ReviewRequest,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ReviewDecision> {
    const reviewer = this.approvals;
    if (reviewer?.review !== undefined) return reviewer.review(request, signal);
    const reason = "a person must see it first, and nobody is there to do so";
    return { decision: "withhold", reason };
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

  #observer({ observer, signal }: ExecuteOptions): CallObserver {
    return {
      proposed: () => {},
      started: () => true,
      review: (request) => this.review(request, signal),
      settled: () => {},
      answered: () => {},
      spoke: () => {},
      progressed: () => {},
      said: () => {},
      ask: async (approval) => {
        const word = await this.ask(approval, signal);
        return word.decision === "pending"
          ? {
              decision: "refuse",
              by: "system",
              reason: "it needs an approval that is not here yet",
            }
          : word;
      },
      ...observer,
    };
  }
}
