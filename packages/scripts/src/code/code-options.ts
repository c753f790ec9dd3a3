import type { NetworkAccess, Sandbox, SandboxLimits } from "@capstan/sandbox";

export interface CodeToolsOptions {
  /** Where code runs. Where there is none, only JavaScript is offered, which has walls of its own. */
  readonly sandbox: Sandbox;
  /** Folders that code sees; it runs in the first. @default none */
  readonly roots?: readonly string[];
  /** Whether it may change them. @default false */
  readonly write?: boolean;
  /** What of the network it reaches. @default false */
  readonly network?: NetworkAccess;
  /** Absolute paths that it never sees: the data directory. @default none */
  readonly hidden?: readonly string[];
  /** Absolute paths that it never changes, whatever `write` says. @default none */
  readonly protected?: readonly string[];
  readonly limits?: Partial<SandboxLimits>;
  /** The PowerShell to take. @default that on PATH */
  readonly powershell?: string;
  /** Programs by their names. @default what is found on PATH */
  readonly find?: (name: string) => string | undefined;
}

/** What a sandbox is like, for the model: one line of a definition. */
export function describeSandbox({
  roots = [],
  write = false,
  network = false,
}: CodeToolsOptions): string {
  const where =
    roots.length === 0
      ? "no files but its own"
      : `the workspace ${write ? "to change" : "to read"}`;
  const reach =
    network === true ? "the public internet" : network === false ? undefined : network.join(", ");
  return `${reach === undefined ? "no network" : `${reach} by http(s) proxy`}, ${where}, and ${write ? "" : "only "}/tmp to write, which is emptied afterwards`;
}
