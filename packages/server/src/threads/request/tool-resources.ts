import { z } from "zod";
import { checked, isObject, wrongType } from "../../http/errors.ts";
import { idList, rejectUnknown } from "./fields.ts";

/** The files and vector stores of an assistant or a thread, by the type of tool that reads them. */
export interface ToolResources {
  readonly code_interpreter?: { readonly file_ids: readonly string[] };
  readonly file_search?: { readonly vector_store_ids: readonly string[] };
}

/** A file of a message, and the types of tools that read it. */
export interface Attachment {
  readonly file_id: string;
  readonly tools: readonly { readonly type: "code_interpreter" | "file_search" }[];
}

/** The types of tools that files belong to. `_all`: every tool reads the file. */
export type ResourceType = "code_interpreter" | "file_search" | "_all";

/** Ids of files and vector stores by the type of tool. */
export type ToolFiles = { readonly [type in ResourceType]?: readonly string[] };

const maxFiles = 20;
const maxStores = 1;

const ids = z.array(z.string().min(1).max(100)).nullish();
const codeInterpreter = { file_ids: ids };
const fileSearch = { vector_store_ids: ids };

/**
 * Parses `tool_resources`.
 *
 * @returns null if there are none
 * @throws RequestError for an invalid or unknown field
 */
export function parseToolResources(given: unknown, at = "tool_resources"): ToolResources | null {
  if (given == null) return null;
  if (!isObject(given)) throw wrongType(at, "an object", given);
  rejectUnknown(given, { code_interpreter: 1, file_search: 1 }, { at });
  const { code_interpreter: code, file_search: search } = given;
  return {
    ...(code != null && { code_interpreter: parseFiles(code, `${at}.code_interpreter`) }),
    ...(search != null && { file_search: parseStores(search, `${at}.file_search`) }),
  };
}

function parseFiles(given: unknown, at: string): { readonly file_ids: readonly string[] } {
  const { file_ids: files } = checked(z.object(codeInterpreter), given, at);
  rejectUnknown(given as object, codeInterpreter, { at });
  return { file_ids: idList(files ?? [], `${at}.file_ids`, maxFiles) };
}

function parseStores(given: unknown, at: string): { readonly vector_store_ids: readonly string[] } {
  const { vector_store_ids: stores } = checked(z.object(fileSearch), given, at);
  const advice =
    "Vector stores are not created here: create one with POST /v1/vector_stores and name it in 'vector_store_ids', or attach files to messages.";
  rejectUnknown(given as object, fileSearch, { at, advice });
  return { vector_store_ids: idList(stores ?? [], `${at}.vector_store_ids`, maxStores) };
}

/** Returns the ids of resources by the type of tool. */
export function filesOfResources(resources: ToolResources | null): ToolFiles {
  const { code_interpreter: code, file_search: search } = resources ?? {};
  return {
    ...(code !== undefined && { code_interpreter: code.file_ids }),
    ...(search !== undefined && { file_search: search.vector_store_ids }),
  };
}

/**
 * Returns the files of each type of tool as resources. Omits files for all tools, which resources
 * cannot represent.
 */
export function resourcesOfFiles({
  code_interpreter: code,
  file_search: search,
}: ToolFiles): ToolResources | null {
  if (code === undefined && search === undefined) return null;
  return {
    ...(code !== undefined && { code_interpreter: { file_ids: code } }),
    ...(search !== undefined && { file_search: { vector_store_ids: search } }),
  };
}

/** Returns the files of a message by the type of tool. A file without types belongs to all tools. */
export function filesOfAttachments(attachments: readonly Attachment[]): ToolFiles {
  const files: { [type in ResourceType]?: string[] } = {};
  for (const { file_id: id, tools } of attachments) {
    const types: readonly ResourceType[] =
      tools.length === 0 ? ["_all"] : tools.map(({ type }) => type);
    for (const type of new Set(types)) (files[type] ??= []).push(id);
  }
  return files;
}

/** Returns the files of a message as its attachments; the inverse of `filesOfAttachments`. */
export function attachmentsOfFiles(files: ToolFiles): readonly Attachment[] {
  const types = new Map<string, ResourceType[]>();
  for (const type of ["_all", "code_interpreter", "file_search"] as const)
    for (const id of files[type] ?? []) types.set(id, [...(types.get(id) ?? []), type]);
  return [...types].map(([id, of]) => ({
    file_id: id,
    tools: of.flatMap((type) => (type === "_all" ? [] : [{ type }])),
  }));
}
