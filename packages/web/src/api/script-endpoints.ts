import type {
  ListView,
  RunView,
  ScriptApproveBody,
  ScriptCallBody,
  ScriptCallList,
  ScriptCheckBody,
  ScriptCheckView,
  ScriptCreateBody,
  ScriptDetail,
  ScriptFilesView,
  ScriptSaveBody,
  ScriptView,
} from "@capstan/contract";
import { requestJson, send } from "./request.ts";

const pathOf = (script: string) => `/v1/scripts/${encodeURIComponent(script)}`;
const post = (body: unknown) => ({ method: "POST", body }) as const;

/** Files of tools. */
export const listScripts = async () =>
  (await requestJson<ListView<ScriptView>>("/v1/scripts")).data;

export const readScript = (script: string, signal?: AbortSignal) =>
  requestJson<ScriptDetail>(pathOf(script), signal ? { signal } : {});

export const readScriptFiles = (script: string, version: "current" | "approved") =>
  requestJson<ScriptFilesView>(`${pathOf(script)}/files?version=${version}`);

export const checkScript = (body: ScriptCheckBody, signal: AbortSignal) =>
  requestJson<ScriptCheckView>("/v1/scripts/check", { ...post(body), signal });

export const createScript = (body: ScriptCreateBody) =>
  requestJson<ScriptDetail>("/v1/scripts", post(body));

export const saveScript = (script: string, body: ScriptSaveBody) =>
  requestJson<ScriptDetail>(pathOf(script), { method: "PUT", body });

export async function deleteScript(script: string): Promise<void> {
  await send(pathOf(script), { method: "DELETE" });
}

export const restoreScript = (script: string) =>
  requestJson<ScriptDetail>(`${pathOf(script)}/restore`, post({}));

export const approveScript = (script: string, body: ScriptApproveBody) =>
  requestJson<ScriptDetail>(`${pathOf(script)}/approve`, post(body));

export const revokeScript = (script: string) =>
  requestJson<ScriptDetail>(`${pathOf(script)}/revoke`, post({}));

export const callScript = (script: string, body: ScriptCallBody) =>
  requestJson<RunView>(`${pathOf(script)}/calls`, post(body));

export const listScriptCalls = (script: string) =>
  requestJson<ScriptCallList>(`${pathOf(script)}/calls`);
