import type { CallTokens } from "../../tool/tool-result.ts";
import type { Tool } from "../../tool/tool.ts";
import type { ToolDefinition } from "../../model/tool-definition.ts";
import { definitionForModel } from "../../tool/tool-offer.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "./gate.ts";

export interface TokensOptions {
  readonly gate: Gate;
  readonly record: CallRecord;
  readonly tool: Tool | undefined;
  /** What the model reads. */
  readonly finalText: string;
  /** The text it was cut from; absent where nothing was left out. */
  readonly whole?: string | undefined;
}

export function callTokens({ gate, record, tool, finalText, whole }: TokensOptions): CallTokens {
  const { countTokens } = gate;
  const shown = countTokens(finalText);
  return {
    definition: tool === undefined ? 0 : definitionTokens(countTokens, tool),
    arguments: countTokens(record.argumentsText),
    shown,
    withheld: whole === undefined ? 0 : Math.max(0, countTokens(whole) - shown),
  };
}

type Counter = (text: string) => number;

/** A definition is counted once by each counter. */
const counted = new WeakMap<Tool, WeakMap<Counter, number>>();

function definitionTokens(countTokens: Counter, tool: Tool): number {
  let byCounter = counted.get(tool);
  if (byCounter === undefined) counted.set(tool, (byCounter = new WeakMap()));
  let tokens = byCounter.get(countTokens);
  if (tokens === undefined) {
    tokens = countTokens(jsonOf(definitionForModel(tool)));
    byCounter.set(countTokens, tokens);
  }
  return tokens;
}

/** Empty where a schema is no JSON: such a tool is offered to no model. */
function jsonOf({ function: definition }: ToolDefinition): string {
  try {
    return JSON.stringify(definition);
  } catch {
    return "";
  }
}
