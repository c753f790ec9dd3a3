export type {
  ApprovalAnswerBody,
  ApprovalView,
  ExecutionAnswerBody,
  ExecutionApprovalView,
  ResultApprovalView,
  ReviewAnswerBody,
  ReviewedPart,
  ReviewedResult,
  ReviewPreview,
} from "./approval.ts";
export type { CallOutcomeBody, CallView, ToolOutputsBody } from "./call.ts";
export type { ConversationUpdate, ConversationView, Switches } from "./conversation.ts";
export type {
  ErrorBody,
  GrantDeleted,
  GrantView,
  ListView,
  ModelView,
  ServerInfo,
  ToolGroupView,
  ToolView,
  VariableUpdate,
  VariableValueView,
  VariableView,
} from "./listing.ts";
export type { OverrideChange, OverrideDeleted, OverrideView } from "./override.ts";
export type { AwaitedView, RunEvent, RunNotice, RunStatus, RunView, RunWithEvents } from "./run.ts";
export type {
  DeclaredPermissionsView,
  ScriptApproveBody,
  ScriptCallBody,
  ScriptCallList,
  ScriptCallView,
  ScriptCheckBody,
  ScriptCheckView,
  ScriptCreateBody,
  ScriptDeleted,
  ScriptDetail,
  ScriptFilesView,
  ScriptPermissionsView,
  ScriptProblemView,
  ScriptSaveBody,
  ScriptsChanged,
  ScriptToolView,
  ScriptView,
} from "./script.ts";
export type { AuthoringOutcome, ScriptAccess, ScriptAuthoring } from "./script-authoring.ts";
