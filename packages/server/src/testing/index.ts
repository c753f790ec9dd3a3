/** For the tests and benches of this repository. Not part of the published package. */
export { openBullQueue } from "../runs/dispatch/bull-queue.ts";
export type { QueueConsumer } from "../runs/dispatch/run-queue.ts";
export { defaultServerLimits } from "../runs/request/run-limits.ts";
export type { RunService } from "../runs/run-service.ts";
export { monitorNodes } from "../runs/nodes/monitor-nodes.ts";
export { createTestApp, type TestApp } from "./app-fixtures.ts";
export { type ConformanceServer, startConformanceServer } from "./mcp-conformance-server.ts";
export { createJobSender, type JobSender } from "./job-sender.ts";
export { findRedis, startRedis, type TestRedis } from "./redis-server.ts";
export { asking, begin, createRuns, requestOf, tool } from "./run-fixtures.ts";
