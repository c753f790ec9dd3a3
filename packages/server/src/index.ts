export { isLoopback } from "./auth/loopback.ts";
export type { ApiKey } from "./auth/principals.ts";
export { readLock } from "./journal/data-lock.ts";
export type { ServerLimits } from "./run/server-limits.ts";
export type { CreateExecutor } from "./run/session.ts";
export {
  type RunningServer,
  type ServerOptions,
  startServer,
  type Stopped,
} from "./start-server.ts";
