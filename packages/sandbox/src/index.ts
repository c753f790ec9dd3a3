/** For packages that run programs, reach the network or run jobs in processes: scripts, toolkit, cli. */
export { findSandbox } from "./confine/find-sandbox.ts";
export type { Program, ProgramEnd, RunningProgram, Sandbox } from "./confine/sandbox.ts";
export type { SandboxLimits } from "./process/sandbox-limits.ts";
export { unconfined } from "./confine/unconfined.ts";
export { type AllowedHosts, allowedHosts } from "./network/allowed-hosts.ts";
export {
  type ResolveHost,
  type ResolvedAddress,
  checkedAgent,
  privateAddress,
  resolveBySystem,
} from "./network/checked-agent.ts";
export { NetworkError } from "./network/network-error.ts";
export { returnNetworkErrors } from "./network/return-network-errors.ts";
export { rootCause } from "./network/root-cause.ts";
export { isSameSite, parseAddress } from "./network/parse-address.ts";
export { addressProblem, isAddress } from "./network/check-address.ts";
export { type NetworkAccess, isHost } from "./network/network-access.ts";
export { deniedPaths, fileIdentity, hiddenPaths, linkedFiles } from "./paths/denied-paths.ts";
export { linksOf } from "./paths/links.ts";
export { readOnlyPaths } from "./paths/read-only-paths.ts";
export { isInside, namedRoots, type Root } from "./paths/named-roots.ts";
export { endWithServer } from "./worker/end-with-server.ts";
export { installCommand } from "./process/install-command.ts";
export { isAlive } from "./process/is-alive.ts";
export { findProgram } from "./process/launcher.ts";
export { type PythonInstallation, findPythonInstallation } from "./process/python-installation.ts";
export { makeTemporaryFolder } from "./process/temporary-folder.ts";
export { type ProcessJob, runInProcess } from "./worker/run-in-process.ts";
export { workerModule } from "./worker/worker-module.ts";
export { type Busy, runInSlot, type SlotRequest } from "./worker/run-in-slot.ts";
