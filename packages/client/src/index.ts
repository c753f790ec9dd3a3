/**
 * For programs that talk to a Capstan server: the page, the terminal, and yours.
 *
 * @module
 */

export { type Client, type ClientOptions, createClient, type StartRun } from "./client.ts";
export { backoffDelay } from "./follow/follow.ts";
export { followRun, type FollowRunOptions } from "./follow-run.ts";
export type { FollowStatus, Retry } from "./follow/follow.ts";
export { ApiError, type ApiErrorData } from "./http/send.ts";
