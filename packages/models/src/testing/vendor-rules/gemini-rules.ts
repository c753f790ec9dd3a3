import { type Fields, isBlank, isObject, list, toolNameProblems } from "./rule-checks.ts";

/**
 * Checks requests to Google's generateContent. Sources: ai.google.dev/api/caching#Content,
 * /gemini-api/docs/function-calling (as many responses as calls, right after them; names) and
 * /gemini-api/docs/thought-signatures (the first call of a step has one).
 */
export function geminiRules(body: Fields): readonly string[] {
  const contents = list(body["contents"]);
  const tools = list(body["tools"]).flatMap((tool) => list(tool["functionDeclarations"]));
  const names = tools.map(({ name }) => name);
  const problems = [...toolNameProblems(names, /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/)];
  if (contents[0]?.["role"] !== "user") problems.push("does not begin with the user");
  if (contents.at(-1)?.["role"] !== "user") problems.push("does not end with the user");
  if (
    list((body["systemInstruction"] as Fields | undefined)?.["parts"]).some(({ text }) =>
      isBlank(text),
    )
  )
    problems.push("a blank system text");
  for (const [index, { role, parts: given }] of contents.entries()) {
    const parts = list(given);
    const say = (what: string) => problems.push(`contents[${index}]: ${what}`);
    if (role !== "user" && role !== "model") say(`the role ${String(role)}`);
    if (role === "model" && contents[index - 1]?.["role"] === "model") say("the model twice");
    if (parts.length === 0) say("no parts");
    for (const part of parts) for (const problem of partProblems(part)) say(problem);
    const called = namesOf(parts, "functionCall");
    const answered = namesOf(parts, "functionResponse");
    const next = namesOf(list(contents[index + 1]?.["parts"]), "functionResponse");
    if (role === "model" && JSON.stringify(called) !== JSON.stringify(next))
      say("calls and responses differ");
    if (role === "user" && called.length > 0) say("a call in a user message");
    if (answered.length > 0 && contents[index - 1]?.["role"] !== "model")
      say("a response without a call");
    const first = parts.find((part) => "functionCall" in part);
    if (first !== undefined && isBlank(first["thoughtSignature"])) say(unsigned);
  }
  return problems;
}

/** Checks the rules of models before Gemini 3, which do not sign calls. */
export const olderGeminiRules = (body: Fields): readonly string[] =>
  geminiRules(body).filter((problem) => !problem.endsWith(unsigned));

const unsigned = "a call without a signature";

function namesOf(parts: readonly Fields[], key: string): readonly string[] {
  return parts.flatMap((part) => {
    const call = part[key] as Fields | undefined;
    return call === undefined ? [] : [`${String(call["name"])} ${String(call["id"])}`];
  });
}

function partProblems(part: Fields): string[] {
  const { text, functionCall, functionResponse, inlineData, fileData } = part;
  // A part may have only a signature, because Gemini sends such parts.
  if (text !== undefined)
    return isBlank(text) && isBlank(part["thoughtSignature"]) ? ["a blank text"] : [];
  if (isObject(functionCall)) {
    return [...nameProblems(functionCall), ...(isObject(functionCall["args"]) ? [] : ["args"])];
  }
  if (isObject(functionResponse)) {
    return [
      ...nameProblems(functionResponse),
      ...(isObject(functionResponse["response"]) ? [] : ["a response that is not an object"]),
      ...list(functionResponse["parts"]).flatMap(partProblems),
    ];
  }
  const file = inlineData ?? fileData;
  if (!isObject(file)) return ["an empty part"];
  const known =
    /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf|(?:audio|video)\/[\w.+-]+)$/;
  return known.test(String(file["mimeType"])) && !isBlank(file["data"] ?? file["fileUri"])
    ? []
    : [`a file of type ${String(file["mimeType"])}`];
}

function nameProblems({ name }: Fields): string[] {
  return /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(String(name)) ? [] : [`the name ${String(name)}`];
}
