import { noFiles, type ToolFiles } from "./tool-file.ts";

/** Who a call is made for. Belongs to one call; another's is never visible. */
export interface Principal {
  readonly id: string;
  readonly name?: string;
}

/** What the one who makes a call gives along for its tool: a tenant, a trace, a token. Never shown to a model or kept. */
export interface RequestContext {
  readonly [key: string]: unknown;
}

/** On whose behalf a call is made, and with what. Sub-calls inherit it; no other call sees it. */
export interface Caller {
  readonly principal: Principal;
  readonly request: RequestContext;
  readonly files: ToolFiles;
}

export const localCaller: Caller = {
  principal: { id: "local" },
  request: Object.freeze({}),
  files: noFiles,
};

/** A caller that differs in what is given. The same object where nothing is. */
export function callerWith(base: Caller, given: Partial<Caller> | undefined): Caller {
  if (given === undefined) return base;
  const { principal = base.principal, request = base.request, files = base.files } = given;
  return { principal, request, files };
}
