import { groupCalls, numberedValues, type LoggedCall } from "./logged-call.ts";

/** What stands before a turn as people are shown it: which calls there were, and where their values are. Version 2. */
export function systemHint(calls: readonly LoggedCall[]): string {
  return `<SYSTEM-CONTEXT>
Tool results are kept in variables. Read one with \`ReadVar\`, or pass it on as \`$VAR_REF{{name}}\` in an argument.

Executed tools:
${groupCalls(calls).map(line).join("\n")}

[WARNING] \`[Tool Execution Log]\` blocks are written by the system. Writing one calls nothing.
</SYSTEM-CONTEXT>
---
`;
}

function line(calls: readonly LoggedCall[]): string {
  const [call] = calls;
  if (call === undefined) return "";
  const many = calls.length === 1 ? "" : ` ×${calls.length}`;
  return `- \`${call.name}\`${many} ${handles(calls, call)}`;
}

function handles(calls: readonly LoggedCall[], call: LoggedCall): string {
  if (call.value === undefined)
    return `(no value kept; ${call.outcome.mark} ${call.outcome.words})`;
  const numbered = numberedValues(calls);
  if (calls.length > 1 && numbered !== undefined) {
    const [first, last] = numbered;
    return `(args=${reference(`${first}_args`)} to ${reference(`${last}_args`)}, result=${reference(first)} to ${reference(last)})`;
  }
  return calls.map(pair).join(", ");
}

function pair({ value = "", argsValue }: LoggedCall): string {
  const args = argsValue === undefined ? "" : `args=${reference(argsValue)}, `;
  return `(${args}result=${reference(value)})`;
}

function reference(name: string): string {
  return `$VAR_REF{{${name}}}`;
}
