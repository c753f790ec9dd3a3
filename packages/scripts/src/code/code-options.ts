import type { NetworkAccess, Sandbox, SandboxLimits } from "@capstan/sandbox";
import type { PackageEnvironmentsOptions } from "../environments/package-environments.ts";

/** Options of `codeTools`. */
export interface CodeToolsOptions {
  /**
   * The sandbox that code runs in. Without one models are offered only JavaScript, which runs in
   * an isolate.
   */
  readonly sandbox: Sandbox;
  /** How users get a sandbox, if there is none. */
  readonly sandboxFix?: string;
  /** The folders that code can read; the first is its working directory. @default none */
  readonly roots?: readonly string[];
  /** Whether code may change these folders. @default false */
  readonly write?: boolean;
  /** The network access of code. @default false */
  readonly network?: NetworkAccess;
  /** Absolute paths that code can never read, such as the data directory. @default none */
  readonly hidden?: readonly string[];
  /** Absolute paths that code can never change, regardless of `write`. @default none */
  readonly protected?: readonly string[];
  /** Installs the packages that Python code names. @default code has no packages */
  readonly packages?: PackageEnvironmentsOptions;
  readonly limits?: Partial<SandboxLimits>;
  /** The path of PowerShell. @default the one on PATH */
  readonly powershell?: string;
  /** Returns the path of a program by its name. @default a search on PATH */
  readonly find?: (name: string) => string | undefined;
}

/** Describes a sandbox to the model in one line of a definition. */
export function describeSandbox({
  roots = [],
  write = false,
  network = false,
}: CodeToolsOptions): string {
  const where =
    roots.length === 0
      ? "no files except its own"
      : `the workspace ${write ? "to change" : "to read"}`;
  const reachable =
    network === true ? "the public internet" : network === false ? undefined : network.join(", ");
  return `${reachable === undefined ? "no network" : `${reachable} by http(s) proxy`}, ${where}, and ${write ? "" : "only "}/tmp to write, which is emptied afterwards`;
}
