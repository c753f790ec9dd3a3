import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

// The names that this package exports. Adding a name here is a promise to support it for
// applications (index) or for Capstan's own packages (host). Removing a name breaks its importers.

const surface = {
  index: {
    values: `
    argumentsDigest CapstanError chainStateOf conditionProblems contentParts defineTool
    defineToolGroup executeToolChain fromLegacyTool GrantBook historyMessages InlineApprovalAdapter isToolError
    ledgerJournal MemoryJournal MemoryLedger ModelError overruled resumeToolChain ruleProblems
    runToolChain toolError ToolExecutor ToolOutputChannel turnLog VariableSystem withAnnotations withNeed
    withText
    `,
    types: `
    MissingNeed ReturnedFile StoreFile StoredFile ToolExample
    Annotation AnswerOutcome ApprovalAdapter ApprovalAnswer ApprovalDecision ApprovalRequest ApprovalScope
    ArgumentConditions AssistantMessage Awaited Caller CallRecord CallResult ChainError ChainEvent
    ChainState ChainStats Clock CommitOutcome ContentPart ContentParts
    DeniedResources ExecuteOptions GivenFile Grant
    GrantCover HistoryMode Journal JournalWrite JsonObject JsonSchema JsonValue Ledger LoadedVariable Message
    Model ModelErrorCode ModelEvent ModelRequest ModelSettings OutputEvent Overruled
    PendingApproval PlacedAnnotation PolicyRule PreviewContext Principal Progress ReachedLimit RegisteredTool RemoveOutcome
    RequestContext RequestTool RequestTools ReviewAnswer ReviewDecision ReviewRequest RuleProblem SchemaProblem SetOutcome
    SettledToolResult StoredTurn SystemMessage TokenLogprob Tool ToolArgs ToolCallHistoryEntry ToolCallRequest
    ToolChainCallbacks ToolChainOptions ToolChainResult ToolChainRun ToolContext ToolDefinition
    ToolError ToolErrorData ToolEvents ToolExecuteResult ToolExecutorOptions ToolFile ToolFiles
    ToolGroup ToolMessage ToolOffer ToolOptions ToolOutput TurnLog Usage UserMessage Variable
    VariableChange VariableInfo WithAnnotations WithText
    `,
  },
  host: {
    values: `
    arePrices attachmentsOnly costOf estimateTokens oneLine readsAttachmentsOnly
    customArguments customInput parseArguments prepareArguments
    LruCache addUsage checkArguments compileSchema conditionsText coveredBy cutsOff deniedPart deniedResources
    deniesPath deniesUrl detached digest errorMessage executionRule
    hostedFamily hostedToolProblem isContentParts isSettled isUnchecked isWholeCall loadSchemaChecks missingInValue namesTool nearestNames neutralise neutraliseMessage neutraliseOutside
    maxPatternSize newId noUsage patternSize readAllValues readBack readPointer readShownVariable reopenedByUser resultRule reviewOutcomes reviewProblem
    reviewRequestOf schemaDepthProblem settingsProblem shiftAnnotations sliceText summaryRequest systemClock titleOf untilAborted withFoundOutcome
    `,
    types: `
    CustomInput EmbeddingOutcome EmbeddingRequest PreparedArguments TextGrammar
    CallOwner CallStatus ChainLimits ChainResultRecord ChainResume ChatOption ClientOutput ExecutionDecision
    FilePart FinishReason FoundOutcome GateLimits GoneVariable GrantOffer ImagePart ModelCatalog ModelEntry
    LikelyToken ToolDeferral
    OfferOptions OutputText PatternEngine Quarantine ReasoningPart RequireApproval ResponseFormat
    ResultApprovalPolicy ReviewNotice ReviewOutcome RoundUsage RuledCall SettingsByTool SettledStatus
    PartSource StreamedItem TokenPrices ToolChoice ToolEffects ToolPermission ToolReturn ToolSettings VariableSource
    VariableType VariableValue
    `,
  },
};

for (const [entry, { values, types }] of Object.entries(surface)) {
  test(`${entry}.ts exports exactly the listed names`, async () => {
    const exported = await exportsOf(entry);
    assert.deepEqual(exported.values, words(values));
    assert.deepEqual(exported.types, words(types));
    const module = (await import(`../src/${entry}.ts`)) as object;
    assert.deepEqual(Object.keys(module).toSorted(), words(values));
  });
}

test("no name is exported by both entries", async () => {
  const [index, host] = await Promise.all([exportsOf("index"), exportsOf("host")]);
  const inIndex = new Set([...index.values, ...index.types]);
  assert.deepEqual(
    [...host.values, ...host.types].filter((name) => inIndex.has(name)),
    [],
  );
});

interface Exports {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** Reads the names from the source, because types do not exist at run time. */
async function exportsOf(entry: string): Promise<Exports> {
  const source = await readFile(new URL(`../src/${entry}.ts`, import.meta.url), "utf8");
  const statements = /^export (type )?\{([^}]*)\} from "[^"]+";$/gm;
  const rest = source.replace(statements, "").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  assert.equal(rest.trim(), "", `${entry}.ts contains only statements "export { … } from …"`);
  const values: string[] = [];
  const types: string[] = [];
  for (const [, onlyTypes, list = ""] of source.matchAll(statements))
    for (const part of list.split(",").map((text) => text.trim())) {
      if (part === "") continue;
      const isType = onlyTypes !== undefined || part.startsWith("type ");
      const name = part.replace(/^type /, "").replace(/^.* as /, "");
      (isType ? types : values).push(name);
    }
  return { values: values.toSorted(), types: types.toSorted() };
}

function words(text: string): string[] {
  return text.trim().split(/\s+/).toSorted();
}
