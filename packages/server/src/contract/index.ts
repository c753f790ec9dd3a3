export type { ConversationUpdate, ConversationView, Switches } from "./conversation.ts";
export type {
  ApprovalAnswerBody,
  ApprovalView,
  ErrorBody,
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
export type { RunEvent, RunNotice, RunStatus, RunView, RunWithEvents } from "./run.ts";
