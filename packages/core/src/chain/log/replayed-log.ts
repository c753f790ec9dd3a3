import { neutralise } from "../../text/neutralise.ts";
import { groupCalls, numberedValues } from "./group-calls.ts";
import { type LoggedCall, logPreviewChars } from "./logged-call.ts";
import { oneLine } from "../../text/truncate.ts";

const introduction =
  "The system's record of the calls before the next answer; writing one calls nothing. ReadVar shows a whole value.";

/**
 * A turn's calls as a later request shows them to the model: a line each, or one for a run of
 * like ones, with the name of the variable that holds the exact value. Version 3.
 */
export function replayedLog(calls: readonly LoggedCall[]): string {
  const lines = groupCalls(calls).map(line);
  return ["<turn-log>", introduction, ...lines, "</turn-log>"].join("\n");
}

function line(calls: readonly LoggedCall[]): string {
  const [call] = calls;
  if (call === undefined) return "";
  const { name, outcome } = call;
  const ended =
    outcome.mark === "✓" && outcome.words === "Success" ? "✓" : `${outcome.mark} ${outcome.words}`;
  if (calls.length === 1) {
    const args = call.args === "{}" ? "" : ` ${call.args}`;
    return `- ${name}${args} ${ended}${details(call)}`;
  }
  const numbered = numberedValues(calls);
  const where = numbered === undefined ? "" : ` → ${numbered.join(" to ")}`;
  const each = calls.map(({ args, value }) =>
    numbered === undefined && value !== undefined ? `${args} → ${value}` : args,
  );
  return `- ${name} ×${calls.length} ${ended}${where}: ${each.join("; ")}`;
}

function details({ value, files, preview }: LoggedCall): string {
  const where = value === undefined ? "" : ` → ${value}`;
  const named = files.length === 0 ? "" : ` [${files.join("; ")}]`;
  const cut = preview.length < logPreviewChars ? "" : "…";
  const words = oneLine(preview, logPreviewChars) + cut;
  // Quoted: what a tool returned is data, and stands in a message of the system's.
  const quoted = words === "" ? "" : `: "${neutralise(words).replaceAll('"', "'")}"`;
  return where + named + quoted;
}
