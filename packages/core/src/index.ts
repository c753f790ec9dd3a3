export { digest } from "./json/canonical-json.ts";
export type { PatternEngine } from "./arguments/pattern-check.ts";
export { nearestNames } from "./text/nearest-name.ts";
export { executeToolChain, type ExecuteToolChainOptions } from "./chain/execute-tool-chain.ts";
export { resumeToolChain, type ResumeToolChainOptions } from "./chain/resume-tool-chain.ts";
export type { RunningCall, ToolChainCallbacks } from "./chain/options/tool-chain-callbacks.ts";
export type { ChainLimits } from "./chain/limits/chain-limits.ts";
export type { LimitName } from "./chain/journal/chain-result.ts";
export type { ReachedLimit } from "./chain/journal/chain-result.ts";
export { runToolChain, type ToolChainRun } from "./chain/run-tool-chain.ts";
export type {
  ChainResume,
  ClientOutput,
  FirstResponse,
  ToolChainOptions,
} from "./chain/options/tool-chain-options.ts";
export type { ToolCallHistoryEntry, ToolChainResult } from "./chain/options/tool-chain-result.ts";
export {
  type HistoryMode,
  historyMessages,
  type StoredTurn,
} from "./chain/log/history-messages.ts";
export { answerText, turnLog } from "./chain/log/turn-log.ts";
export { turnMessages } from "./chain/log/turn-messages.ts";
export { checkArguments } from "./call/propose/check-arguments.ts";
export { defaultGateLimits, type GateLimits } from "./call/gate/gate.ts";
export type { CallObserver } from "./call/gate/call-host.ts";
export type { SchemaProblem } from "./call/gate/schema-problems.ts";
export { argumentsDigest, type Ledger } from "./call/record/ledger.ts";
export { MemoryLedger } from "./call/record/memory-ledger.ts";
export { newId } from "./base/new-id.ts";
export type { OfferOptions } from "./call/gate/offers.ts";
export { ToolExecutor, type ToolExecutorOptions } from "./call/tool-executor.ts";
export type { ExecuteOptions } from "./call/gate/execute-options.ts";
export type { RequireApproval } from "./policy/decide.ts";
export {
  type ReviewAnswer,
  type ReviewDecision,
  type ReviewNotice,
  type ReviewOutcome,
  reviewOutcomes,
  type ReviewRequest,
} from "./policy/review.ts";
export { reviewProblem } from "./policy/review-problem.ts";
export { type Quarantine, reviewRequestOf } from "./call/record/quarantine.ts";
export { GrantBook } from "./policy/grant-book.ts";
export {
  executionRule,
  namesTool,
  type PolicyRule,
  resultRule,
  type RuledCall,
} from "./policy/rule.ts";
export { type Overruled, overruled } from "./policy/overruled.ts";
export { type RegisteredTool, titleOf } from "./tool/registry.ts";
export type { SwitchState } from "./tool/switches.ts";
export type { ToolOffer } from "./tool/tool-offer.ts";
export { type ChainEvent, type StreamedItem } from "./chain/journal/chain-event.ts";
export type {
  Awaited,
  ChainError,
  ChainPhase,
  ChainResultRecord,
  ChainState,
  ChainStats,
  ChainStatus,
  RoundUsage,
  TurnLog,
} from "./chain/journal/chain-result.ts";
export { coveredBy } from "./chain/calls/covered-by.ts";
export { addUsage, noUsage } from "./model/usage.ts";
export { ledgerJournal } from "./chain/journal/ledger-journal.ts";
export type { CommitOutcome, Journal, JournalWrite } from "./chain/journal/journal.ts";
export { chainStateOf } from "./chain/journal/journal-state.ts";
export { MemoryJournal } from "./chain/journal/memory-journal.ts";
export { CapstanError, type CapstanErrorOptions } from "./base/capstan-error.ts";
export { errorMessage } from "./base/error-message.ts";
export type { CallTokens } from "./tool/tool-result.ts";
export type {
  CallDecision,
  CallOwner,
  CallRecord,
  CallResult,
  CallRetry,
} from "./call/record/call-record.ts";
export {
  type CallStatus,
  callStatusOf,
  isSettled,
  type ResultStatus,
  resultStatusOf,
} from "./call/record/call-status.ts";
export type { SettledStatus } from "./tool/tool-result.ts";
export {
  type FoundOutcome,
  reopenedByPerson,
  withFoundOutcome,
} from "./call/record/found-outcome.ts";
export type { ToolExecuteResult } from "./call/record/tool-execute-result.ts";
export type { SettledToolResult } from "./tool/tool-result.ts";
export { type Clock, systemClock } from "./base/clock.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./base/json.ts";
export type {
  AssistantMessage,
  Message,
  ReasoningPart,
  SystemMessage,
  ToolCallRequest,
  ToolMessage,
  UserMessage,
} from "./model/message.ts";
export type {
  FinishReason,
  Model,
  ModelEvent,
  ModelRequest,
  ModelSettings,
  ResponseFormat,
  ToolChoice,
} from "./model/model.ts";
export type { Usage } from "./model/usage.ts";
export type { ModelCatalog, ModelEntry } from "./model/model-catalog.ts";
export { costOf, type TokenPrices } from "./model/token-prices.ts";
export { ModelError, type ModelErrorCode, type ModelErrorOptions } from "./model/model-error.ts";
export { detached } from "./text/detached.ts";
export { neutralise } from "./text/neutralise.ts";
export { neutraliseMessage } from "./model/neutralise-message.ts";
export type { OutputEvent, OutputOmitted, OutputText } from "./chain/speaker/output-event.ts";
export {
  ToolOutputChannel,
  type ToolOutputChannelOptions,
} from "./chain/speaker/tool-output-channel.ts";
export {
  type AnswerOutcome,
  InlineApprovalAdapter,
  type PendingApproval,
} from "./policy/inline-approval-adapter.ts";
export type { ArgumentOperators, ArgumentTest } from "./arguments/argument-test.ts";
export { type ArgumentConditions, conditionsText } from "./arguments/argument-conditions.ts";
export { conditionProblems, type RuleProblem, ruleProblems } from "./policy/rule-problems.ts";
export type {
  AnswerCheck,
  ApprovalAdapter,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalScope,
  GrantCover,
} from "./policy/approval.ts";
export type { GrantOffer } from "./tool/permission.ts";
export type { Grant, GrantMatch } from "./policy/grant.ts";
export type {
  ExecutionDecision,
  ExecutionPolicy,
  ResultApprovalPolicy,
} from "./tool/permission.ts";
export type { ContentPart, FilePart, ImagePart, LinkPart, TextPart } from "./model/content-part.ts";
export { type ContentParts, contentParts, isContentParts } from "./model/content-parts.ts";
export { defineTool, type ToolOptions } from "./tool/define-tool.ts";
export { defineToolGroup } from "./tool/define-tool-group.ts";
export type { StandardSchema } from "./tool/standard-schema.ts";
export {
  type RetryPolicy,
  type SkillRule,
  type Tool,
  type ToolEffects,
  type ToolGroup,
  type ToolPermission,
  type ToolReturn,
} from "./tool/tool.ts";
export type { ToolArgs } from "./base/json.ts";
export type { Caller, Principal, RequestContext } from "./tool/caller.ts";
export type { CallToolOptions, Progress, ToolContext, ToolOutput } from "./tool/tool-context.ts";
export type { FileSearchHit, ToolEventData, ToolEvents } from "./tool/tool-event.ts";
export type { ToolFile, ToolFiles } from "./tool/tool-file.ts";
export type { ToolsChange } from "./tool/tools-change.ts";
export type { ToolDefinition } from "./model/tool-definition.ts";
export { withText, type WithText } from "./tool/with-text.ts";
export { isToolError, toolError, type ToolError, type ToolErrorData } from "./base/tool-error.ts";
export type {
  Variable,
  VariableChange,
  VariableInfo,
  VariableType,
  VariableValue,
} from "./variables/variable.ts";
export { missingInValue, type PointerOutcome, readPointer } from "./json/json-pointer.ts";
export { sliceText } from "./text/slice.ts";
export { readBack } from "./variables/read-back.ts";
export type {
  GoneVariable,
  KeptResult,
  RefusedVariable,
  RemoveOutcome,
  SetOutcome,
  VariableFilter,
  VariablePatch,
  VariableSource,
  VariableSystemOptions,
} from "./variables/variable-contract.ts";
export { VariableSystem } from "./variables/variable-system.ts";
