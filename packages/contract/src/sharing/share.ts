/** `GET /v1/conversations/{id}/share`: a link through which anyone can read a conversation. */
export interface ShareView {
  readonly object: "conversation.share";
  /** The id of the conversation. */
  readonly conversation: string;
  readonly title: string;
  /** When the link was created, in ms since the epoch. It shows the conversation as it was then. */
  readonly created_at: number;
}

/** `POST /v1/conversations/{id}/share`: the new link. Only this answer has its token. */
export interface CreatedShare extends ShareView {
  /** The page shows the conversation at `/#share={token}`. */
  readonly token: string;
}

/** `POST /v1/conversations/{id}/share` */
export interface ShareRequest {
  /** Whether the link also shows what tools received and returned. @default false */
  readonly include_calls?: boolean;
}

/** `GET /v1/shared`: what a reader of a link sees. */
export interface SharedConversation {
  readonly object: "shared_conversation";
  readonly title: string;
  readonly created_at: number;
  readonly parts: readonly SharedPart[];
}

/** A message, or a call between messages. */
export type SharedPart = SharedMessage | SharedCall;

/** A message of the user or of the model. */
export interface SharedMessage {
  readonly type: "message";
  readonly role: "user" | "assistant";
  readonly text: string;
  /** The names of attached files. Their contents are not shared. */
  readonly files: readonly string[];
}

/** A call of a tool. */
export interface SharedCall {
  readonly type: "call";
  readonly name: string;
  /** Absent unless the link shows what tools received and returned. */
  readonly input?: string;
  readonly output?: string;
}
