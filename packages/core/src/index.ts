export { digest } from "./arguments/canonical-json.ts";
export type { PatternEngine } from "./arguments/pattern-check.ts";
export { nearestNames } from "./arguments/nearest-name.ts";
export { executeToolChain, type ExecuteToolChainOptions } from "./chain/execute-tool-chain.ts";
export { resumeToolChain, type ResumeToolChainOptions } from "./chain/resume-tool-chain.ts";
export type { RunningCall, ToolChainCallbacks } from "./chain/tool-chain-callbacks.ts";
export type { ChainLimits, LimitName, ReachedLimit } from "./chain/chain-limits.ts";
export { runToolChain, type ToolChainRun } from "./chain/run-tool-chain.ts";
export type {
  ChainResume,
  ClientOutput,
  FirstResponse,
  ToolChainOptions,
} from "./chain/tool-chain-options.ts";
export type { ToolCallHistoryEntry, ToolChainResult } from "./chain/tool-chain-result.ts";
export {
  type HistoryMode,
  historyMessages,
  type StoredTurn,
} from "./chain/log/history-messages.ts";
export { answerText, turnLog } from "./chain/log/turn-log.ts";
export { turnMessages } from "./chain/turn-messages.ts";
export { checkArguments } from "./executor/check-arguments.ts";
export { defaultGateLimits, type GateLimits } from "./executor/gate.ts";
export type { CallObserver } from "./executor/call-observer.ts";
export type { SchemaProblem } from "./executor/schema-problems.ts";
export { argumentsDigest, type Ledger } from "./executor/ledger.ts";
export { MemoryLedger } from "./executor/memory-ledger.ts";
export { newId } from "./executor/new-id.ts";
export type { OfferOptions } from "./executor/offers.ts";
export {
  type ExecuteOptions,
  ToolExecutor,
  type ToolExecutorOptions,
} from "./executor/tool-executor.ts";
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
export { type Quarantine, reviewRequestOf } from "./executor/quarantine.ts";
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
export { type ChainEvent, type StreamedItem } from "./chain/chain-event.ts";
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
} from "./chain/chain-result.ts";
export { coveredBy } from "./chain/covered-by.ts";
export { addUsage, noUsage } from "./chain/usage.ts";
export { ledgerJournal } from "./chain/ledger-journal.ts";
export type { CommitOutcome, Journal, JournalWrite } from "./chain/journal.ts";
export { chainStateOf } from "./chain/journal-state.ts";
export { MemoryJournal } from "./chain/memory-journal.ts";
export { CapstanError, type CapstanErrorOptions } from "./errors/capstan-error.ts";
export { errorMessage } from "./errors/error-message.ts";
export type { CallTokens } from "./executor/call-tokens.ts";
export type {
  CallDecision,
  CallOwner,
  CallRecord,
  CallResult,
  CallRetry,
} from "./executor/call-record.ts";
export {
  type CallStatus,
  callStatusOf,
  isSettled,
  type ResultStatus,
  resultStatusOf,
  type SettledStatus,
} from "./executor/call-status.ts";
export { type FoundOutcome, reopenedByPerson, withFoundOutcome } from "./executor/found-outcome.ts";
export type { SettledToolResult, ToolExecuteResult } from "./executor/tool-execute-result.ts";
export { type Clock, systemClock } from "./model/clock.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./model/json.ts";
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
  Usage,
} from "./model/model.ts";
export type { ModelCatalog, ModelEntry } from "./model/model-catalog.ts";
export { costOf, type TokenPrices } from "./model/token-prices.ts";
export { ModelError, type ModelErrorCode, type ModelErrorOptions } from "./model/model-error.ts";
export { detached } from "./output/detached.ts";
export { neutralise } from "./output/neutralise.ts";
export { neutraliseMessage } from "./output/neutralise-message.ts";
export type { OutputEvent, OutputOmitted, OutputText } from "./output/output-event.ts";
export { ToolOutputChannel, type ToolOutputChannelOptions } from "./output/tool-output-channel.ts";
export {
  type AnswerOutcome,
  InlineApprovalAdapter,
  type PendingApproval,
} from "./policy/inline-approval-adapter.ts";
export type { ArgumentOperators, ArgumentTest } from "./policy/argument-test.ts";
export { type ArgumentConditions, conditionsText } from "./policy/argument-conditions.ts";
export { conditionProblems, type RuleProblem, ruleProblems } from "./policy/rule-problems.ts";
export type {
  AnswerCheck,
  ApprovalAdapter,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalScope,
  GrantCover,
  GrantOffer,
} from "./policy/approval.ts";
export type { Grant, GrantMatch } from "./policy/grant.ts";
export type { ExecutionDecision, ExecutionPolicy, ResultApprovalPolicy } from "./policy/policy.ts";
export type { ContentPart, FilePart, ImagePart, LinkPart, TextPart } from "./tool/content-part.ts";
export { type ContentParts, contentParts, isContentParts } from "./tool/content-parts.ts";
export { defineTool, type ToolOptions } from "./tool/define-tool.ts";
export { defineToolGroup } from "./tool/define-tool-group.ts";
export type { StandardSchema } from "./tool/standard-schema.ts";
export {
  type RetryPolicy,
  type SkillRule,
  type Tool,
  type ToolArgs,
  type ToolEffects,
  type ToolGroup,
  type ToolPermission,
  type ToolReturn,
} from "./tool/tool.ts";
export type { Caller, Principal, RequestContext } from "./tool/caller.ts";
export type { CallToolOptions, Progress, ToolContext, ToolOutput } from "./tool/tool-context.ts";
export type { FileSearchHit, ToolEventData, ToolEvents } from "./tool/tool-event.ts";
export type { ToolFile, ToolFiles } from "./tool/tool-file.ts";
export type { ToolsChange } from "./tool/tools-change.ts";
export type { ToolDefinition } from "./tool/tool-definition.ts";
export { withText, type WithText } from "./tool/with-text.ts";
export { isToolError, toolError, type ToolError, type ToolErrorData } from "./tool/tool-error.ts";
export type {
  Variable,
  VariableChange,
  VariableInfo,
  VariableType,
  VariableValue,
} from "./variables/variable.ts";
export { missingInValue, type PointerOutcome, readPointer } from "./variables/json-pointer.ts";
export { sliceText } from "./variables/slice.ts";
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
