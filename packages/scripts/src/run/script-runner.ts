import { createHash } from "node:crypto";
import { dirname } from "node:path";
import {
  type Annotation,
  CapstanError,
  isToolError,
  type ToolContext,
  toolError,
  type ToolError,
  withAnnotations,
  withText,
} from "@capstan/core";
import {
  hiddenPaths,
  readOnlyPaths,
  type Root,
  type Sandbox,
  type SandboxLimits,
} from "@capstan/sandbox";
import type {
  RunScriptFunction,
  Script,
  ScriptApprovals,
  ScriptPermissions,
  ScriptReturn,
} from "../definition/script-function.ts";
import { callContext, CallReports } from "./call-context.ts";
import { findInterpreters, type InterpreterOptions } from "./find-interpreters.ts";
import {
  declaredRoots,
  refuseChangeableLinks,
  scriptProgram,
  workspaceSeen,
} from "./script-program.ts";
import { scriptReturn } from "./script-return.ts";
import { type CallEnd, type ScriptWorker, startScriptWorker } from "./worker/script-worker.ts";
import { Snapshots } from "./snapshot.ts";
import { WorkerPool, type WorkerPoolOptions } from "./worker/worker-pool.ts";
import type { ScriptValues } from "../values/script-values.ts";
import { WorkerWorkspaces } from "./worker-workspaces.ts";
import { withFiles, type Workspace } from "../workspace/workspace.ts";
import { errorMessage, readBack, type ToolReturn } from "@capstan/core/host";
import type { HostReply, HostRequest } from "./worker/messages.ts";

/** Options of `createScriptRunner`. */
export interface ScriptRunnerOptions extends InterpreterOptions {
  readonly sandbox: Sandbox;
  /** The approved permissions: without an approval a script has no network, roots or secrets. */
  readonly approvals: ScriptApprovals;
  /** The variables that secrets are read from. @default process.env */
  readonly environment?: { readonly [name: string]: string | undefined };
  /** The stored values, which take precedence over `environment`. @default none */
  readonly values?: Pick<ScriptValues, "read">;
  /**
   * Absolute paths that no script can read, whatever its roots, such as the data directory.
   * @default none
   */
  readonly hidden?: readonly string[];
  /** Absolute paths that no script can change, whatever its roots. @default none */
  readonly protected?: readonly string[];
  /** The folders whose paths rules can deny. @default none */
  readonly ruledRoots?: readonly Root[];
  readonly limits?: Partial<SandboxLimits>;
  readonly pool?: WorkerPoolOptions;
  /**
   * When the workspace gets the files of the call. With `filled`, it gets them before the call
   * starts, and the runner returns new files separately. With `on-request`, it gets them when the
   * function asks for its path, and new files are parts of the result. @default "on-request"
   */
  readonly workspace?: "filled" | "on-request";
}

/** Runs functions of scripts. See `createScriptRunner`. */
export interface ScriptRunner {
  readonly run: RunScriptFunction;
  /** Ends all workers. */
  close(): Promise<void>;
}

/**
 * Creates a runner of script functions in workers that are kept for later calls. A worker imports
 * its script once, and each call runs in a fork of it, in the sandbox.
 *
 * @example
 * const { sandbox } = await findSandbox();
 * const runner = createScriptRunner({ sandbox, approvals, python: () => findPython({}) });
 */
export function createScriptRunner(options: ScriptRunnerOptions): ScriptRunner {
  const { sandbox, approvals, environment = process.env, limits = {} } = options;
  const { hidden: always = [], ruledRoots = [], workspace: mode = "on-request" } = options;
  const pool = new WorkerPool(options.pool);
  const snapshots = new Snapshots();
  const workspaces = new WorkerWorkspaces();
  const interpreters = findInterpreters({ ...options, sandbox: sandbox.kind });

  const run: RunScriptFunction = async ({
    script,
    function: fn,
    arguments: args,
    context,
    signal,
  }) => {
    const found = await interpreters(script);
    if (isToolError(found)) return { value: found };
    const permissions = grantedTo(script, fn.name, approvals);
    const stored = options.values?.read(permissions.secrets ?? []);
    if (stored !== undefined && stored.unreadable.length > 0)
      return { value: unreadableValues(stored.unreadable) };
    const denied = context.denied();
    const hiddenNow = async (): Promise<readonly string[]> => {
      if (denied.paths.length === 0) return always;
      const { read, write } = declaredRoots(script, permissions);
      const visible = [dirname(script.path), ...read, ...write];
      return hiddenPaths({ roots: ruledRoots, denied, always, visible });
    };
    const readOnlyNow = async (): Promise<readonly string[]> => {
      const { read, write } = declaredRoots(script, permissions);
      await refuseChangeableLinks([...read, ...write], ruledRoots);
      const own = dirname(script.path);
      return readOnlyPaths({ protected: options.protected ?? [], write, hidden: always, own });
    };
    const start = async (
      hidden: readonly string[],
      readOnly: readonly string[],
      { path: workspace }: Workspace,
    ): Promise<ScriptWorker> => {
      const snapshot = await snapshots.take(script);
      if (isToolError(snapshot)) throw new StartRefused(snapshot);
      try {
        const program = scriptProgram({
          script,
          snapshot,
          permissions,
          environment: { ...environment, ...stored?.values },
          hidden,
          deniedHosts: denied,
          protected: readOnly,
          limits,
          worker: found,
          sandbox: sandbox.kind,
          workspace,
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
      const hidden = await hiddenNow();
      // Another set of paths needs a new worker, because mounts do not change after the start.
      const readOnly = await readOnlyNow();
      const { path, contentHash } = script;
      const reports = new CallReports(context);
      const callIn = async (
        worker: ScriptWorker,
        fill: () => Promise<string>,
        running: AbortSignal,
      ): Promise<CallEnd> => {
        if (mode === "filled") await fill();
        return worker.call(
          {
            function: fn.name,
            arguments: args,
            wantsContext: fn.wantsContext,
            hasFormat: fn.hasFormat,
            idempotencyKey: context.idempotencyKey,
            ...(fn.wantsContext && { about: callContext(context) }),
          },
          {
            onPrint: (text) => context.output.write(text),
            onProgress: ({ message, done, total }) =>
              context.output.progress({
                ...(message !== undefined && { message }),
                ...(done !== undefined && { done }),
                ...(total !== undefined && { total }),
              }),
            onReport: (report) => reports.take(report),
            onRequest: async (request) => {
              if (request.what === "file") return reports.read(request).catch(readFailure);
              if (request.what !== "workspace") return answerHostRequest(request, context);
              const workspace = await fill();
              return { value: workspaceSeen({ sandbox: sandbox.kind, workspace }) };
            },
          },
          running,
        );
      };
      const ended = await pool.use({
        key: keyOf([
          path,
          contentHash,
          found,
          permissions,
          hidden,
          readOnly,
          denied.hosts,
          // A worker receives its values only at its start.
          stored?.values,
        ]),
        start: () => workspaces.start((workspace) => start(hidden, readOnly, workspace)),
        keepsSpare: found.runsOneCall,
        signal,
        work: (worker) =>
          workspaces.use(worker, { files: context.files, signal }, (fill, running) =>
            callIn(worker, fill, running),
          ),
      });
      if (isToolError(ended)) return { value: ended };
      const result = scriptReturn(ended.end);
      if (mode === "filled") return { ...result, files: ended.files };
      const { value, formattedText } = result;
      if (ended.files.parts.length > 0) {
        const text = formattedText ?? textOf(value);
        return withReported({ value: withFiles(value, text, ended.files) }, reports.sources);
      }
      return withReported(result, reports.sources);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StartRefused) return { value: error.toolError };
      // A declared root cannot be in the sandbox.
      if (CapstanError.isInstance(error))
        return { value: toolError({ code: error.code, message: error.message }) };
      throw error;
    }
  };
  return { run, close: () => pool.close() };
}

/** A result with the sources that its function reported. */
function withReported(result: ScriptReturn, sources: readonly Annotation[]): ScriptReturn {
  if (sources.length === 0) return result;
  const { value, formattedText } = result;
  const text = formattedText === undefined ? value : withText(value, formattedText);
  return { value: withAnnotations(text, sources) };
}

/** Returns the text of a value that has no format of its own. */
function textOf(value: ToolReturn): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function readFailure(thrown: unknown): HostReply {
  return { error: { code: "file_not_read", message: errorMessage(thrown) } };
}

class StartRefused extends Error {
  readonly toolError: ToolError;

  constructor(refusal: ToolError) {
    super(refusal.message);
    this.toolError = refusal;
  }
}

/**
 * Returns the permissions of a function: none, until a user approved those that its file declares.
 */
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

/** The error of a script whose values were encrypted with another secret key. */
function unreadableValues(names: readonly string[]): ToolError {
  return toolError({
    code: "value_unreadable",
    message: `The environment ${names.length === 1 ? "value" : "values"} ${names.join(", ")} of this script cannot be read, because the server's secret key has changed. An administrator must set ${names.length === 1 ? "it" : "them"} again, on the page Scripts or with capstan scripts environment set NAME.`,
  });
}

function keyOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/**
 * Answers a running script's request: reads the session's variables, or calls another tool through
 * the gate.
 */
async function answerHostRequest(
  request: Exclude<HostRequest, { readonly what: "file" | "workspace" }>,
  context: ToolContext,
): Promise<HostReply> {
  try {
    switch (request.what) {
      case "variables":
        return { value: context.variables.names() };
      case "variable":
        return await readVariable(request.name, context);
      case "call_tool":
        return await callTool(request, context);
      default:
        return {
          error: { code: "unknown_question", message: "The host does not support this request." },
        };
    }
  } catch (error) {
    return { error: { code: "question_failed", message: errorMessage(error) } };
  }
}

async function readVariable(name: string, { variables }: ToolContext): Promise<HostReply> {
  await readBack(variables, name);
  const found = variables.getVariable(name);
  if (found === undefined) return { error: variables.missingVariable(name) };
  return { value: found.value.data ?? found.value.text };
}

async function callTool(
  { name, arguments: args }: Extract<HostRequest, { readonly what: "call_tool" }>,
  context: ToolContext,
): Promise<HostReply> {
  const result = await context.callTool(name, args);
  if (result.status === "success") return { value: result.data ?? null };
  const { code, message, retryable = false } = result.error;
  return { error: { code, message, retryable } };
}
