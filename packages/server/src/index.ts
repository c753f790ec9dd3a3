export { inspectRedis } from "./dispatch/inspect-redis.ts";
export { isLoopback } from "./auth/loopback.ts";
export { type ApiKey, localPrincipal } from "./auth/principals.ts";
export type { ServerLimits } from "./run/server-limits.ts";
export type { CreateExecutor } from "./run/session.ts";
export {
  type RunningServer,
  type ServerOptions,
  startServer,
  type Stopped,
} from "./start-server.ts";
