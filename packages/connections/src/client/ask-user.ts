import type { JsonSchema } from "@capstan/core";
import { compileSchema, loadSchemaChecks } from "@capstan/core/host";
import { visibleText } from "@capstan/core/text";
import type { ElicitRequest, ElicitResult } from "../libraries/mcp-client.ts";
import type { RunningCall } from "./running-calls.ts";

/** The tool of each connection that shows its server's questions to a user. */
export const questionTool = "AnswerServer";

/** The maximum number of a server's questions during one call. */
const mostQuestions = 10;
/** The maximum number of times that a user is asked again because the answers are invalid. */
const mostTries = 3;

/** Names of fields that ask for a secret. Forms with such fields are declined. */
const secretField = /passw|passphrase|secret|token|api[ _-]?key|credential|\bpin\b|card.?number/i;

/** Other texts of a field that ask for a secret. They may mention tokens of other kinds. */
const secretText =
  /passw|passphrase|secret|(?:access|api|auth\w*|bearer|refresh|session)[ _-]?token|api[ _-]?key|credential|\bpin\b|card.?number/i;

/**
 * Shows a user a server's question (an MCP elicitation) through the gate, as a call of
 * `AnswerServer`. The user sees the server's name and the whole question, and edits the answers
 * before they are sent.
 */
export async function askUser(
  call: RunningCall | undefined,
  { params }: ElicitRequest,
): Promise<ElicitResult> {
  if (call === undefined || call.questions++ >= mostQuestions) return { action: "cancel" };
  const asked = visibleText(params.message.slice(0, 4_000));
  if (params.mode === "url") {
    const url = URL.parse(params.url);
    if (
      url === null ||
      !/^https?:$/.test(url.protocol) ||
      url.username !== "" ||
      url.password !== ""
    )
      return { action: "decline" };
    const answer = await ask(call, {
      question: asked,
      // The ASCII form exposes look-alike letters in the host.
      open: url.href,
    });
    return { action: answer === undefined ? "decline" : "accept" };
  }
  const { requestedSchema } = params;
  const fields = Object.entries(requestedSchema.properties);
  const isSecret = fields.some(([name, field]) => asksForSecret(name, field));
  if (isSecret || fields.length > 50) return { action: "decline" };
  let answers = Object.fromEntries(fields.map(([name, field]) => [name, firstAnswer(field)]));
  let problem: string | undefined;
  for (let attempt = 0; attempt < mostTries; attempt++) {
    const given = await ask(call, {
      question: asked,
      answers,
      fields: requestedSchema,
      ...(problem !== undefined && { problem }),
    });
    if (given === undefined) return { action: "decline" };
    answers = (given["answers"] ?? {}) as typeof answers;
    problem = await problemOf(answers, requestedSchema);
    if (problem === undefined) return { action: "accept", content: answers as never };
  }
  return { action: "cancel" };
}

/** Returns whether a field asks for a secret, by its name, its format, or a text that users see. */
function asksForSecret(name: string, field: object): boolean {
  const { title, format, ...others } = field as { readonly [keyword: string]: unknown };
  if (format === "password" || secretField.test(`${name} ${String(title)}`)) return true;
  return textsOf(others).some((text) => secretText.test(text));
}

/** Returns all texts in a field's schema: its description, and the values and titles of choices. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** Returns the arguments that a user approved, or undefined if the user declined. */
async function ask(
  call: RunningCall,
  args: { readonly [name: string]: unknown },
): Promise<{ readonly [name: string]: unknown } | undefined> {
  call.onActivity();
  const result = await call.context.callTool(`${call.group}.${questionTool}`, {
    server: call.group,
    ...args,
  });
  call.onActivity();
  return result.status === "success"
    ? (result.data as { readonly [name: string]: unknown })
    : undefined;
}

async function problemOf(answers: unknown, schema: JsonSchema): Promise<string | undefined> {
  await loadSchemaChecks();
  const compiled = compileSchema(schema);
  if (compiled.status === "refused") return undefined;
  const [issue] = compiled.validator.validate(answers);
  return issue === undefined
    ? undefined
    : `${issue.path === "" ? "answers" : issue.path}: expected ${issue.expected}, got ${issue.received}`;
}

/** Returns the default of a field, or an empty value of its type. */
function firstAnswer(field: unknown): unknown {
  const {
    default: given,
    type,
    enum: words,
    minimum,
  } = field as { readonly [key: string]: unknown };
  if (given !== undefined) return given;
  if (Array.isArray(words)) return words[0] as unknown;
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return typeof minimum === "number" ? minimum : 0;
  return type === "array" ? [] : "";
}
