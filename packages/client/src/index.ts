/**
 * The client of the HTTP API, for the page, the terminal and other programs.
 *
 * @module
 */

export {
  type AddedMessage,
  type Client,
  type ClientOptions,
  createClient,
  type MessageFile,
  type StartRun,
} from "./client.ts";
export { backoffDelay } from "./follow/follow.ts";
export { followRun, type FollowRunOptions } from "./follow-run.ts";
export type { FollowStatus, Retry } from "./follow/follow.ts";
export { readEventStream } from "./http/event-stream.ts";
export { readWholeVariables } from "./whole-variables.ts";
export { ApiError, type ApiErrorData } from "./http/send.ts";
