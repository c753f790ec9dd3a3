import { Hono, type Context } from "hono";
import { z } from "zod";
import type { VariableSystem } from "@capstan/core";
import { readBack, sliceText, type VariableType } from "@capstan/core/host";
import { jsonChunks } from "@capstan/core/base";
import type { CorruptView, VariableValueView, VariableView } from "@capstan/contract";
import type { ConversationRecord } from "@capstan/store";
import type { Environment, Services } from "../http/services.ts";
import {
  corrupt,
  corruptView,
  findConversation,
  listView,
  unlessCorrupt,
} from "../http/records.ts";
import { readBody, readNumber, readWord, withoutNulls } from "../http/read-body.ts";
import { badRequest, conflict, notFound, RequestError } from "../http/errors.ts";
import { streamJson } from "../http/streams.ts";

const variableTypes: readonly VariableType[] = [
  "RULE",
  "ToolCallResult",
  "ToolCallArgs",
  "MessageCache",
  "LLMAdd",
  "USER_ADD",
];

const updateBody = z.object({
  text: z.string().nullish(),
  desc: z.string().max(2_000).nullish(),
  tags: z.array(z.string().max(100)).max(50).nullish(),
  keep: z.boolean().nullish(),
});

/** Routes of a conversation's variables, with their values during or after its newest run. */
export function variableRoutes({ runs }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const find = (context: Context<Environment>): Promise<ConversationRecord> =>
    findConversation(runs.store, context.get("principal"), context.req.param("id") ?? "");

  routes.get("/:id/variables", async (context) => {
    const variables = await unlessCorrupt(async () => runs.variablesOf(await find(context)));
    if (variables === corrupt)
      return context.json(listView([corruptView(context.req.param("id"))]));
    const search = context.req.query("search");
    const type = readWord(context, "type", variableTypes);
    const tag = context.req.query("tag");
    const listed = variables.listVariables({
      ...(search !== undefined && { search }),
      ...(tag !== undefined && { tag }),
      ...(type !== undefined && { type }),
    });
    const limit = readNumber(context, "limit", { min: 1, max: 1_000, otherwise: 1_000 });
    const data = listed
      .slice(0, limit)
      .map((info): VariableView => ({ ...info, object: "variable" }));
    // No filter by type or text can match an unreadable value.
    const unreadable = variables.corruptNames().map(corruptView);
    return context.json(
      listView<VariableView | CorruptView>([...data, ...unreadable], listed.length > limit, idOf),
    );
  });

  routes.get("/:id/variables/:name", async (context) => {
    const name = context.req.param("name");
    const variables = await readable(name, async () => {
      const found = await runs.variablesOf(await find(context));
      await readBack(found, name);
      return found;
    });
    const start = readNumber(context, "start", { min: 0, otherwise: 0 });
    const length = readNumber(context, "length", { min: 0, otherwise: Number.MAX_SAFE_INTEGER });
    return streamJson(jsonChunks(valueView(variables, name, start, length)));
  });

  routes.put("/:id/variables/:name", async (context) => {
    const name = context.req.param("name");
    const conversation = await readable(name, () => find(context));
    const { text, ...rest } = await readBody(context, updateBody);
    const patch = withoutNulls({ value: text, ...rest });
    const edit = (draft: VariableSystem) => {
      const known = draft.peekVariable(name);
      if (known === undefined && text == null)
        throw badRequest("text", `text: there is no variable "${name}" yet, so it needs a text.`);
      if (known?.type === "RULE" && text != null)
        throw conflict(`"${name}" is a rule that its group declares; it cannot be changed here.`);
      const outcome = draft.updateVariable(
        name,
        known === undefined ? { type: "USER_ADD", ...patch } : patch,
      );
      if (outcome.status === "refused") throw badRequest("name", outcome.error.message);
    };
    // The new description of a variable is stored with its value.
    const needs = text == null ? [name] : [];
    const variables = await readable(name, () => runs.editVariables(conversation, edit, { needs }));
    if (variables === undefined) throw notFound("conversation", conversation.id);
    return streamJson(jsonChunks(valueView(variables, name, 0, Number.MAX_SAFE_INTEGER)));
  });

  routes.delete("/:id/variables/:name", async (context) => {
    const name = context.req.param("name");
    const conversation = await readable(name, () => find(context));
    const edit = (draft: VariableSystem) => {
      if (draft.peekVariable(name) === undefined) throw missing(draft, name);
      const failed = draft.removeVariables([name]).failed[0];
      if (failed !== undefined) throw conflict(failed.reason);
    };
    const edited = await readable(name, () => runs.editVariables(conversation, edit));
    if (edited === undefined) throw notFound("conversation", conversation.id);
    return context.json({ name, object: "variable.deleted", deleted: true });
  });

  return routes;
}

function idOf(entry: VariableView | CorruptView): string {
  return entry.object === "corrupt" ? entry.id : entry.name;
}

/** Reads or edits a variable. @throws RequestError 409 if a required stored row is corrupt */
async function readable<T>(name: string, use: () => Promise<T>): Promise<T> {
  const result = await unlessCorrupt(use);
  if (result !== corrupt) return result;
  const found = "A stored row of its conversation is corrupt";
  throw entryCorrupt(name, `${found}: "capstan db check" names it; restore the last backup.`);
}

function missing(variables: VariableSystem, name: string): RequestError {
  return variables.missingVariable(name).code === "variable_corrupt"
    ? entryCorrupt(name, "Its stored value is corrupt. PUT a new text in its place.")
    : notFound("variable", name);
}

function entryCorrupt(name: string, why: string): RequestError {
  const message = `The variable "${name.slice(0, 100)}" cannot be read. ${why}`;
  return new RequestError({ status: 409, code: "entry_corrupt", param: "name", message });
}

function valueView(
  variables: VariableSystem,
  name: string,
  start: number,
  length: number,
): VariableValueView {
  // Reading a variable here does not count as a use.
  const found = variables.getVariable(name, { visit: false });
  if (found === undefined) throw missing(variables, name);
  const { value, ...info } = found;
  const whole = start === 0 && length >= value.text.length;
  return {
    ...info,
    object: "variable",
    start,
    text: sliceText(value.text, start, length),
    ...(whole && value.data !== undefined && value.text.length < 100_000 && { data: value.data }),
  };
}
