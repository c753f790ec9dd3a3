import { parse } from "yaml";
import { DocumentProblem } from "./document-problem.ts";
import { isObject, type Node } from "./json-object.ts";

/** Below this length, duplicate keys of YAML are an error. The check takes quadratic time. */
const longestChecked = 1_000_000;

/** The maximum length of a text that begins with a brace and is tried as YAML, in characters. */
const longestFlow = 20_000;

/**
 * Parses a document in JSON or YAML.
 *
 * @throws DocumentProblem
 */
export function parseDocument(text: string): Node {
  const plain = text.replace(/^\uFEFF/, "");
  const parsed = /^\s*[{[]/.test(plain) ? parseJson(plain) : parseYaml(plain);
  if (!isObject(parsed)) throw new DocumentProblem("it is not an object.");
  return parsed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // Short YAML can begin with a brace, too. Longer texts are taken as JSON, whose error is
    // clearer.
    if (text.length < longestFlow)
      try {
        return parse(text, { maxAliasCount: 100, logLevel: "error" });
      } catch {
        // Report the error of the JSON parser instead.
      }
    throw new DocumentProblem(`it is not valid JSON: ${messageOf(thrown)}`);
  }
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, {
      merge: true,
      // This limit stops documents whose aliases expand without bound.
      maxAliasCount: 100,
      uniqueKeys: text.length < longestChecked,
      logLevel: "error",
    });
  } catch (thrown) {
    throw new DocumentProblem(`it is not valid YAML: ${messageOf(thrown)}`);
  }
}

function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.split("\n", 1)[0]?.slice(0, 300) ?? "";
}
