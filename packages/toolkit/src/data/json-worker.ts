import type { JsonValue } from "@capstan/core";
import { answerJobs } from "../text/answer-jobs.ts";
import { JSONPathEnvironment, JSONPathError } from "../libraries/json-path.ts";
import { answerOf, DataProblem } from "./data-problem.ts";
import { decodeText } from "./decode-text.ts";
import type { SourceData } from "./read-source.ts";

/** The input of the worker. */
export interface JsonJob {
  readonly query: string;
  readonly source: SourceData;
  readonly limit: number;
}

/** The values that a query found, with their normalized paths. */
export interface JsonMatches {
  readonly values: readonly JsonValue[];
  readonly paths: readonly string[];
  /** The number of all values, including values beyond the limit. */
  readonly total: number;
}

const maxResultChars = 20_000_000;

answerJobs((job: JsonJob) => answerOf(() => find(job)));

function find({ query, source, limit }: JsonJob): JsonMatches {
  const value = source.kind === "value" ? source.value : parse(source);
  try {
    const nodes = new JSONPathEnvironment({ strict: true }).query(query, value as never).nodes;
    const values: JsonValue[] = [];
    const paths: string[] = [];
    let chars = 0;
    for (const node of nodes.slice(0, limit)) {
      const path = node.getPath({ form: "canonical" });
      // One value can be in many results, so the results can be much larger than the data.
      chars += path.length + JSON.stringify(node.value).length;
      if (chars > maxResultChars)
        throw new DataProblem(
          "too_large",
          "The values have over 20 MB together. Use a narrower query, or a lower limit.",
        );
      values.push(node.value as JsonValue);
      paths.push(path);
    }
    return { values, paths, total: nodes.length };
  } catch (thrown) {
    if (!(thrown instanceof JSONPathError)) throw thrown;
    const message = `"${query.slice(0, 200)}" is not a JSONPath of RFC 9535: ${thrown.message}. An example: $.items[?@.price < 10].name`;
    throw new DataProblem("invalid_query", message);
  }
}

function parse(source: Exclude<SourceData, { readonly kind: "value" }>): unknown {
  const text = source.kind === "text" ? source.text : decodeText(source.bytes);
  const plain = text.replace(/^\uFEFF/, "");
  try {
    return JSON.parse(plain);
  } catch (error) {
    const lines = plain.split("\n").filter((line) => line.trim() !== "");
    try {
      if (lines.length > 1) return lines.map((line) => JSON.parse(line) as unknown);
    } catch {
      // The error for the whole text is more useful.
    }
    throw new DataProblem(
      "invalid_data",
      `"${source.name}" is neither JSON nor JSON lines: ${(error as Error).message}.`,
    );
  }
}
