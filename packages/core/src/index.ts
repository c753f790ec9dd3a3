/**
 * The library for applications: define tools, execute them, request approvals, run the loop.
 * `@capstan/core/host` has the further exports for hosts (a server, a terminal, a tool package),
 * and `@capstan/core/testing` has fakes for tests. Names that no entry exports are internal.
 *
 * @module
 */

// Tools
export type { ToolArgs } from "./base/json.ts";
export { type ToolErrorData } from "./base/errors.ts";
export { isToolError, type ToolError, toolError } from "./tool/return-value.ts";
export type { ContentPart } from "./model/content-part.ts";
export { type ContentParts, contentParts } from "./tool/return-value.ts";
export type { ToolDefinition } from "./model/model.ts";
export { defineToolGroup, withNeed } from "./tool/define-tool.ts";
export { defineTool, type ToolOptions } from "./tool/define-tool.ts";
export { fromLegacyTool } from "./tool/from-legacy-tool.ts";
export type { DeniedResources, Progress, ToolContext, ToolOutput } from "./tool/tool-context.ts";
export type { ToolEvents } from "./tool/tool-context.ts";
export type { GivenFile, RequestTool, RequestTools, ToolFile, ToolFiles } from "./tool/caller.ts";
export type { Annotation, PlacedAnnotation } from "./model/annotation.ts";
export { type WithAnnotations, withAnnotations } from "./tool/return-value.ts";
export type { ReturnedFile, StoredFile, StoreFile } from "./tool/stored-file.ts";
export type { MissingNeed, PreviewContext, Tool, ToolExample, ToolGroup } from "./tool/tool.ts";
export { type WithText, withText } from "./tool/return-value.ts";

// Tool executor
export type { ExecuteOptions } from "./call/call-setup.ts";
export type { SchemaProblem } from "./tool/tool-offer.ts";
export type { CallRecord, CallResult } from "./call/record/call-record.ts";
export { argumentsDigest, type Ledger } from "./call/record/ledger.ts";
export { MemoryLedger } from "./call/record/ledger.ts";
export type { ToolExecuteResult } from "./call/record/call-outcome.ts";
export { ToolExecutor, type ToolExecutorOptions } from "./call/tool-executor.ts";
export type { Caller, Principal, RequestContext } from "./tool/caller.ts";
export type { RegisteredTool } from "./tool/registry.ts";
export type { ToolOffer } from "./tool/tool-offer.ts";
export type { SettledToolResult } from "./tool/tool-result.ts";

// Policies and approvals
export type { ArgumentConditions } from "./arguments/argument-conditions.ts";
export type {
  ApprovalAdapter,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalScope,
  GrantCover,
} from "./policy/approval.ts";
export { GrantBook } from "./policy/grant.ts";
export type { Grant } from "./policy/grant.ts";
export {
  type AnswerOutcome,
  InlineApprovalAdapter,
  type PendingApproval,
} from "./policy/inline-approval-adapter.ts";
export { type Overruled, overruled } from "./policy/overruled.ts";
export type { ReviewAnswer, ReviewDecision, ReviewRequest } from "./policy/review.ts";
export { conditionProblems, type RuleProblem, ruleProblems } from "./policy/rule.ts";
export type { PolicyRule } from "./policy/rule.ts";

// The loop
export { executeToolChain } from "./chain/run-tool-chain.ts";
export type { ChainEvent } from "./chain/journal/chain-event.ts";
export type {
  Awaited,
  ChainError,
  ChainState,
  ChainStats,
  ReachedLimit,
} from "./chain/journal/chain-result.ts";
export type { ToolChainCallbacks } from "./chain/options/callbacks.ts";
export type { ToolChainOptions } from "./chain/options/tool-chain-options.ts";
export type { ToolCallHistoryEntry, ToolChainResult } from "./chain/options/tool-chain-result.ts";
export { resumeToolChain } from "./chain/run-tool-chain.ts";
export { runToolChain, type ToolChainRun } from "./chain/run-tool-chain.ts";

// Output, history and journal
export type { TurnLog } from "./chain/journal/chain-result.ts";
export { chainStateOf } from "./chain/journal/journal.ts";
export type { CommitOutcome, Journal, JournalWrite } from "./chain/journal/journal.ts";
export { ledgerJournal } from "./chain/journal/journal.ts";
export { MemoryJournal } from "./chain/journal/journal.ts";
export {
  historyMessages,
  type HistoryMode,
  type StoredTurn,
} from "./chain/log/history-messages.ts";
export { turnLog } from "./chain/log/turn-log.ts";
export type { OutputEvent } from "./chain/output/output-queue.ts";
export { ToolOutputChannel } from "./chain/output/tool-output-channel.ts";

// Variables
export type { RemoveOutcome, SetOutcome } from "./variables/variable.ts";
export { VariableSystem } from "./variables/variable-system.ts";
export type {
  LoadedVariable,
  Variable,
  VariableChange,
  VariableInfo,
} from "./variables/variable.ts";

// Models
export type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolCallRequest,
  ToolMessage,
  UserMessage,
} from "./model/message.ts";
export { ModelError, type ModelErrorCode } from "./model/model-error.ts";
export type { Model, ModelEvent, ModelRequest, ModelSettings } from "./model/model.ts";
export type { TokenLogprob } from "./model/logprobs.ts";
export type { Usage } from "./model/usage.ts";

// Errors, JSON and time
export { CapstanError } from "./base/errors.ts";
export type { Clock } from "./base/clock.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./base/json.ts";
