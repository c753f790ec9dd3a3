/**
 * The exports for hosts of the library: servers, stores, model providers and tool packages that
 * record, show and restore calls themselves. Applications need only `@capstan/core`. These names
 * follow the internals and may change in any release.
 *
 * @module
 */

// base
export { systemClock } from "./base/clock.ts";
export { errorMessage } from "./base/errors.ts";
export { untilAborted } from "./base/until-aborted.ts";
export { newId } from "./base/id.ts";
export { LruCache } from "./base/lru-cache.ts";

// json
export { digest } from "./json/json-value.ts";
export { missingInValue, readPointer } from "./json/json-pointer.ts";

// text
export { detached, estimateTokens, oneLine } from "./text/truncate.ts";
export { nearestNames } from "./text/nearest-name.ts";
export { neutralise, neutraliseOutside } from "./text/neutralise.ts";
export { sliceText } from "./text/slice.ts";

// model
export type { FilePart, ImagePart, PartSource } from "./model/content-part.ts";
export { isContentParts } from "./tool/return-value.ts";
export type { ReasoningPart } from "./model/message.ts";
export type {
  EmbeddingOutcome,
  EmbeddingRequest,
  ModelCatalog,
  ModelEntry,
} from "./model/model.ts";
export type {
  CustomInput,
  FinishReason,
  ResponseFormat,
  TextGrammar,
  ToolChoice,
} from "./model/model.ts";
export type { LikelyToken } from "./model/logprobs.ts";
export { cutsOff, isWholeCall } from "./model/incomplete-calls.ts";
export { customArguments, customInput } from "./model/custom-input.ts";
export { neutraliseMessage } from "./model/message.ts";
export { summaryRequest } from "./model/summary-request.ts";
export type { TokenPrices } from "./model/usage.ts";
export { addUsage, arePrices, costOf, noUsage } from "./model/usage.ts";

export { shiftAnnotations } from "./model/annotation.ts";

// arguments
export { conditionsText } from "./arguments/argument-conditions.ts";
export type { PatternEngine } from "./arguments/pattern-check.ts";
export { patternSize } from "./arguments/pattern-size.ts";
export { maxPatternSize } from "./arguments/validation-cost.ts";
export { loadSchemaChecks } from "./arguments/schema-checks.ts";
export { compileSchema, isUnchecked } from "./arguments/validator.ts";
export {
  parseArguments,
  type PreparedArguments,
  prepareArguments,
} from "./arguments/prepare-arguments.ts";
export { schemaDepthProblem } from "./arguments/schema-references.ts";

// variables
export { readAllValues, readBack } from "./variables/missing-variable.ts";
export type { GoneVariable, VariableSource } from "./variables/variable.ts";
export type { VariableType, VariableValue } from "./variables/variable.ts";

// tool
export type { ToolDeferral } from "./tool/tool-deferral.ts";
export { attachmentsOnly, readsAttachmentsOnly } from "./tool/caller.ts";
export type { ExecutionDecision, GrantOffer, ResultApprovalPolicy } from "./tool/tool.ts";
export { titleOf } from "./tool/registry.ts";
export type { SettledStatus } from "./tool/tool-result.ts";
export type { ToolEffects, ToolPermission, ToolReturn } from "./tool/tool.ts";

export { hostedFamily } from "./call/run/hosted-stages.ts";
export { hostedToolProblem } from "./call/run/hosted-arguments.ts";
export { type SettingsByTool, settingsProblem, type ToolSettings } from "./tool/tool-settings.ts";

// policy
export type { RequireApproval } from "./policy/decide.ts";
export { deniedPart, deniedResources, deniesPath, deniesUrl } from "./policy/denied-resources.ts";
export { reviewProblem } from "./policy/review.ts";
export { type ReviewNotice, type ReviewOutcome, reviewOutcomes } from "./policy/review.ts";
export { executionRule, namesTool, resultRule, type RuledCall } from "./policy/rule.ts";

// call
export { readShownVariable } from "./call/gate/bound-variables.ts";
export type { GateLimits } from "./call/gate/gate.ts";
export type { OfferOptions } from "./tool/tool-offer.ts";
export { checkArguments } from "./call/propose/propose.ts";
export type { CallOwner } from "./call/record/call-record.ts";
export { type CallStatus, isSettled } from "./call/record/call-status.ts";
export {
  type FoundOutcome,
  reopenedByUser,
  withFoundOutcome,
} from "./call/record/found-outcome.ts";
export { type Quarantine, reviewRequestOf } from "./call/record/call-outcome.ts";

// chain
export type { ChatOption } from "./chain/options/tool-chain-options.ts";
export { coveredBy } from "./policy/grant.ts";
export type { StreamedItem } from "./chain/journal/chain-event.ts";
export type { ChainResultRecord, RoundUsage } from "./chain/journal/chain-result.ts";
export type { ChainLimits } from "./chain/limits/chain-limits.ts";
export type { ChainResume, ClientOutput } from "./chain/options/tool-chain-options.ts";
export type { OutputText } from "./chain/output/output-queue.ts";
