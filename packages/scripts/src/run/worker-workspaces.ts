import type { ToolContext } from "@capstan/core";
import {
  createWorkspace,
  type Workspace,
  type WorkspaceFiles,
  workspaceFull,
} from "../workspace/workspace.ts";
import type { CallEnd, ScriptWorker } from "./worker/script-worker.ts";

/** The end of a call, and the files that it left in its workspace. */
export interface EndInWorkspace {
  readonly end: CallEnd;
  readonly files: WorkspaceFiles;
}

interface Held {
  readonly workspace: Workspace;
  /** Whether a call uses the workspace. A busy workspace is removed only after its call. */
  isBusy: boolean;
  hasEnded: boolean;
}

type FileContext = Pick<ToolContext, "files" | "signal">;

/**
 * The workspaces of workers. A worker has one folder, because mounts do not change after its start,
 * and one call at a time. The folder is empty before each call, and is removed with the worker.
 */
export class WorkerWorkspaces {
  readonly #workspaces = new WeakMap<ScriptWorker, Held>();

  /** Starts a worker with an empty workspace. */
  async start(start: (workspace: Workspace) => Promise<ScriptWorker>): Promise<ScriptWorker> {
    const workspace = createWorkspace();
    try {
      const worker = await start(workspace);
      const held: Held = { workspace, isBusy: false, hasEnded: false };
      this.#workspaces.set(worker, held);
      void worker.ended.then(() => {
        held.hasEnded = true;
        if (!held.isBusy) void workspace.remove().catch(() => {});
      });
      return worker;
    } catch (error) {
      await workspace.remove();
      throw error;
    }
  }

  /**
   * Runs a call in its worker's workspace. `run` gets a function that adds the files of the call,
   * and a signal that also aborts when the workspace exceeds its quota.
   *
   * @throws the signal's reason when the call is stopped
   */
  async use(
    worker: ScriptWorker,
    context: FileContext,
    run: (fill: () => Promise<string>, signal: AbortSignal) => Promise<CallEnd>,
  ): Promise<EndInWorkspace | ReturnType<typeof workspaceFull>> {
    const held = this.#workspaces.get(worker);
    if (held === undefined) throw new Error("The worker was not started with a workspace.");
    const { workspace } = held;
    held.isBusy = true;
    const watch = workspace.watch();
    let filled: Promise<void> | undefined;
    const fill = async (): Promise<string> => {
      filled ??= workspace.fill(context);
      await filled;
      return workspace.path;
    };
    try {
      const end = await run(fill, AbortSignal.any([context.signal, watch.signal]));
      // A process that the call left behind could change the folder while it is read.
      if (!worker.isUsable) {
        worker.end();
        await worker.ended;
      }
      return { end, files: await workspace.changes() };
    } catch (thrown) {
      if (!watch.signal.aborted || context.signal.aborted) throw thrown;
      return workspaceFull();
    } finally {
      watch.stop();
      await filled?.catch(() => {});
      held.isBusy = false;
      if (held.hasEnded) await workspace.remove().catch(() => {});
      // The worker must not run another call with files of this one.
      else await workspace.empty().catch(() => worker.end());
    }
  }
}
