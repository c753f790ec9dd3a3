import { createHash } from "node:crypto";
import { CapstanError, isToolError, toolError, type ToolError } from "@capstan/core";
import { pythonPlace } from "../../sandbox/python-place.ts";
import type { Sandbox, SandboxLimits } from "../../sandbox/sandbox.ts";
import type { PythonEnvironments } from "../environments/python-environments.ts";
import type {
  RunScriptFunction,
  Script,
  ScriptApprovals,
  ScriptPermissions,
} from "../script-function.ts";
import { answerQuestion } from "./answer-question.ts";
import { scriptProgram } from "./script-program.ts";
import { scriptReturn } from "./script-return.ts";
import { type ScriptWorker, startScriptWorker } from "./script-worker.ts";
import { Snapshots } from "./snapshot.ts";
import { WorkerPool, type WorkerPoolOptions } from "./worker-pool.ts";

export interface ScriptRunnerOptions {
  readonly sandbox: Sandbox;
  /** What people approved: network, roots and secrets are given to nobody else. */
  readonly approvals: ScriptApprovals;
  /** The Python that runs scripts; why there is none. */
  readonly python: () => Promise<
    | { readonly status: "found"; readonly executable: string }
    | { readonly status: "missing"; readonly message: string }
  >;
  /** What plugins require. Without it, no script has packages. */
  readonly environments?: PythonEnvironments;
  /** Where secrets come from. @default process.env */
  readonly environment?: { readonly [name: string]: string | undefined };
  /** Absolute paths that no script sees, whatever its roots: the data directory. @default none */
  readonly hidden?: readonly string[];
  readonly limits?: Partial<SandboxLimits>;
  readonly pool?: WorkerPoolOptions;
}

export interface ScriptRunner {
  readonly run: RunScriptFunction;
  /** Ends all workers. */
  close(): Promise<void>;
}

/**
 * Runs functions of scripts in workers that are kept for the next call. A worker imports its
 * script once; each call is a fork of it, in the sandbox.
 *
 * @example
 * const { sandbox } = await findSandbox();
 * const runner = createScriptRunner({ sandbox, approvals, python: () => findPython({}) });
 */
export function createScriptRunner(options: ScriptRunnerOptions): ScriptRunner {
  const { sandbox, approvals, environment = process.env, hidden = [], limits = {} } = options;
  const pool = new WorkerPool(options.pool);
  const snapshots = new Snapshots();
  let found: ReturnType<ScriptRunnerOptions["python"]> | undefined;
  /** Looking takes as long as many calls; where there was none there may be one later. */
  const findOnce = async () => {
    found ??= options.python();
    const python = await found;
    if (python.status === "missing") found = undefined;
    return python;
  };

  const run: RunScriptFunction = async ({
    script,
    function: fn,
    arguments: args,
    context,
    signal,
  }) => {
    if (script.language !== "python")
      return {
        value: toolError({
          code: "language_missing",
          message: "PowerShell functions cannot be run here yet; Python ones can.",
        }),
      };
    const python = await findOnce();
    if (python.status === "missing")
      return { value: toolError({ code: "python_missing", message: python.message }) };
    const place = await pythonPlace(python.executable);
    const packages = await options.environments?.find(script, place);
    if (packages?.status === "missing")
      return { value: toolError({ code: "packages_missing", message: packages.message }) };
    const environmentFolder = packages?.status === "installed" ? packages.folder : undefined;
    const permissions = grantedTo(script, fn.name, approvals);
    const start = async (): Promise<ScriptWorker> => {
      const snapshot = await snapshots.take(script);
      if (isToolError(snapshot)) throw new StartRefused(snapshot);
      try {
        const program = scriptProgram({
          script,
          snapshot,
          permissions,
          environment,
          hidden,
          limits,
          python: place,
          environmentFolder,
          sandbox: sandbox.kind,
        });
        const worker = startScriptWorker(sandbox, program);
        void worker.ended.then(() => snapshot.release());
        return worker;
      } catch (error) {
        snapshot.release();
        throw error;
      }
    };
    try {
      const end = await pool.use({
        key: keyOf([
          script.path,
          script.contentHash,
          python.executable,
          environmentFolder,
          permissions,
        ]),
        start,
        signal,
        work: (worker) =>
          worker.call(
            {
              function: fn.name,
              arguments: args,
              wantsContext: fn.wantsContext,
              hasFormat: fn.hasFormat,
            },
            {
              onPrint: (text) => context.output.write(text),
              onProgress: ({ message, done, total }) =>
                context.output.progress({
                  ...(message !== undefined && { message }),
                  ...(done !== undefined && { done }),
                  ...(total !== undefined && { total }),
                }),
              onAsk: (question) => answerQuestion(question, context),
            },
            signal,
          ),
      });
      return scriptReturn(end);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StartRefused) return { value: error.toolError };
      // A root that it declares cannot be shown.
      if (CapstanError.isInstance(error))
        return { value: toolError({ code: error.code, message: error.message }) };
      throw error;
    }
  };
  return { run, close: () => pool.close() };
}

class StartRefused extends Error {
  readonly toolError: ToolError;

  constructor(refusal: ToolError) {
    super(refusal.message);
    this.toolError = refusal;
  }
}

/** What the function may have: nothing, until a person approved what its file declares. */
function grantedTo(
  script: Script,
  name: string,
  approvals: ScriptApprovals,
): Pick<ScriptPermissions, "network" | "roots" | "secrets"> {
  const approved = approvals.approved(script);
  if (approved === undefined) return {};
  const own = Object.hasOwn(approved.functions, name) ? approved.functions[name] : undefined;
  const { network = false, roots = {}, secrets = [] } = { ...approved.file, ...own };
  return { network, roots, secrets };
}

function keyOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
