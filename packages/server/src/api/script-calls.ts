import type { ScriptCallList, ScriptCallView } from "@capstan/contract";
import type { JsonValue } from "@capstan/core";
import type { ListedCall, ListedCalls, RunRecord } from "@capstan/store";
import { oneCallModelId } from "../runs/active/launch.ts";
import { callView } from "./call-view.ts";
import type { Services } from "../http/services.ts";
import { listView } from "../http/records.ts";
import { conflict } from "../http/errors.ts";

/** The newest calls of a file's groups, as they were found of each. */
export function scriptCallList(found: readonly ListedCalls[], limit: number): ScriptCallList {
  const newest = found
    .flatMap(({ calls }) => calls)
    .toSorted((a, b) => b.call.proposedAt - a.call.proposedAt);
  const unreadable = new Set(found.flatMap((each) => each.unreadable));
  return {
    ...listView(newest.slice(0, limit).map(scriptCallView), newest.length > limit),
    unreadable: [...unreadable],
  };
}

/** A call of the ledger, and who made it. */
function scriptCallView(listed: ListedCall): ScriptCallView {
  return { ...callView(listed), made_by: listed.model === oneCallModelId ? "person" : "model" };
}

/** How the Responses API shows a user's own call. That API passes it in, because this one does not import it. */
export interface DirectCallView {
  readonly directCallView: () => JsonValue;
}

/** Begins a run that makes one call, through the same gate as a model's. */
export async function startCall(
  { runs, directCallView }: Pick<Services, "runs"> & DirectCallView,
  owner: string,
  call: { readonly group: string; readonly tool: string; readonly arguments: string },
): Promise<RunRecord> {
  const { group, tool, arguments: args } = call;
  const toolId = `${group}.${tool}`;
  const said = `${toolId} ${args}`;
  const outcome = await runs.start({
    principal: owner,
    model: oneCallModelId,
    instructions: null,
    context: [],
    inputMessages: [{ role: "user", content: said }],
    inputItems: [{ type: "message", role: "user", content: said }],
    parentId: null,
    conversationId: null,
    title: null,
    servers: [{ label: group, group, allowedTools: { toolNames: [tool] } }],
    clientTools: [],
    settings: {},
    maxToolCalls: 1,
    approvals: "inline",
    toolOutputs: "inline",
    history: "log",
    answers: [],
    outputs: [],
    continuesParent: false,
    wire: directCallView(),
    call: { toolId, arguments: args },
  });
  if (outcome.status === "conflict") throw conflict(outcome.message);
  return outcome.run;
}
