import type { Sandbox, SandboxLimits } from "../sandbox/sandbox.ts";

export interface CodeToolsOptions {
  /** Where code runs. Where there is none, only JavaScript is offered, which has walls of its own. */
  readonly sandbox: Sandbox;
  /** Folders that code sees; it runs in the first. @default none */
  readonly roots?: readonly string[];
  /** Whether it may change them. @default false */
  readonly write?: boolean;
  /** Whether it reaches the network, with this machine's own services. @default false */
  readonly network?: boolean;
  /** Absolute paths that it never sees: the data directory. @default none */
  readonly hidden?: readonly string[];
  readonly limits?: Partial<SandboxLimits>;
  /** Programs by their names. @default what is found on PATH */
  readonly find?: (name: string) => string | undefined;
}

/** What a sandbox is like, for the model: one line of a definition. */
export function placeText({
  roots = [],
  write = false,
  network = false,
}: CodeToolsOptions): string {
  const where =
    roots.length === 0
      ? "no files but its own"
      : `the workspace ${write ? "to change" : "to read"}`;
  return `${network ? "the network" : "no network"}, ${where}, and ${write ? "" : "only "}/tmp to write, which is emptied afterwards`;
}
