/**
 * The types of the HTTP API and of the run events, for the server and its clients. The package has
 * no code at run time.
 *
 * @module
 */

export type {
  AgentBody,
  AgentCreateBody,
  AgentDeleted,
  AgentFunction,
  AgentGroup,
  AgentToolFilter,
  AgentView,
} from "./agent.ts";
export type {
  ApprovalAnswerBody,
  ApprovalView,
  ExecutionAnswerBody,
  ExecutionApprovalView,
  ResultApprovalView,
  ReviewAnswerBody,
  ReviewedPart,
  ReviewedResult,
  ShownApproval,
  ReviewPreview,
} from "./approval.ts";
export type { CallOutcomeBody, CallView, ToolOutputsBody } from "./call.ts";
export type {
  ApprovalsFrom,
  ModelView,
  Right,
  ServerInfo,
  ToolGroupView,
  ToolView,
} from "./catalog.ts";
export type {
  ConnectionAcceptBody,
  ConnectionCreateBody,
  ConnectionCredentialBody,
  ConnectionCredentialDeleted,
  ConnectionCredentialView,
  ConnectionDeleted,
  ConnectionDetail,
  ConnectionKeyView,
  ConnectionOAuthBody,
  ConnectionToolView,
  ConnectionUpdateBody,
  ConnectionView,
  SignInAnswerBody,
  SignInBody,
  SignInResult,
  SignInView,
} from "./connections/connection.ts";
export type { ConnectionOutcome, ConnectionService } from "./connections/connection-service.ts";
export type {
  ListedServer,
  PinnedServer,
  PinnedTool,
  RequestServer,
  RequestServers,
} from "./connections/request-servers.ts";
export type {
  ConversationMatch,
  ConversationMatches,
  ConversationState,
  ConversationUpdate,
  ConversationView,
  Switches,
} from "./conversation.ts";
export type { ErrorBody } from "./error.ts";
export type { FileDeleted, FileLinkView, FileView, UploadPartView, UploadView } from "./file.ts";
export type { GrantDeleted, GrantView } from "./grant.ts";
export type { CorruptView, ListView } from "./list.ts";
export type { OverrideChange, OverrideDeleted, OverrideView } from "./override.ts";
export type { PreferencesUpdate, PreferencesView } from "./preferences.ts";
export type { ProviderBody, ProviderOutcome, ProviderSettings, ProviderView } from "./provider.ts";
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
  ScriptValueBody,
  ScriptValueDeleted,
  ScriptValueView,
  ScriptView,
} from "./script.ts";
export type { AuthoringOutcome, ScriptAuthoring } from "./script-authoring.ts";
export type { OpenedSession, PairingView, SessionView } from "./session.ts";
export type { UsageView } from "./usage.ts";
export type { UserChangeEvent, UserEvent } from "./user-event.ts";
export type { VariableUpdate, VariableValueView, VariableView } from "./variable.ts";
export type {
  CreatedShare,
  SharedCall,
  SharedConversation,
  SharedMessage,
  SharedPart,
  ShareRequest,
  ShareView,
} from "./sharing/share.ts";
