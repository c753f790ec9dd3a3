import type { ToolContext, ToolError } from "@capstan/core";
import { makeWorkspace, type Workspace, workspaceFull } from "../workspace/workspace.ts";

/**
 * Runs code that has a workspace with the files of its call. Removes the workspace afterwards.
 *
 * @param run gets a signal that also aborts when the workspace exceeds its quota
 * @throws the signal's reason when the call is stopped
 */
export async function inWorkspace<T>(
  context: Pick<ToolContext, "files" | "signal">,
  run: (workspace: Workspace, signal: AbortSignal) => Promise<T>,
): Promise<T | ToolError> {
  const workspace = await makeWorkspace(context);
  const watch = workspace.watch();
  try {
    return await run(workspace, AbortSignal.any([context.signal, watch.signal]));
  } catch (thrown) {
    if (!watch.signal.aborted || context.signal.aborted) throw thrown;
    return workspaceFull();
  } finally {
    watch.stop();
    await workspace.remove();
  }
}
