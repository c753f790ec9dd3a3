import { errorMessage, type ToolErrorData } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { digest } from "../../json/json-value.ts";
import { deniedResources } from "../../policy/denied-resources.ts";
import type { ShownPreview } from "../../text/visible-text.ts";
import { isToolError } from "../../tool/return-value.ts";
import { filesFor, requestToolFor } from "../../tool/caller.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { Tool } from "../../tool/tool.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "./gate.ts";

/** The effect of a call, or the error with which the call would fail. */
export type Previewed =
  | { readonly status: "shown"; readonly preview: ShownPreview }
  | { readonly status: "failed"; readonly error: ToolErrorData };

/** The maximum characters of a preview. A longer one fails the call, because no user could see it. */
const mostChars = 1_000_000;
/** How long a preview may take, in ms. */
const previewMs = 10_000;

/**
 * Returns the result of the `preview` of a call's tool, or `undefined` if the tool has no
 * `preview`.
 */
export function previewCall(options: {
  readonly gate: Gate;
  readonly registered: RegisteredTool;
  readonly args: JsonObject;
  readonly record: CallRecord;
}): Promise<Previewed> | undefined {
  const { tool } = options.registered;
  return tool.permission?.preview === undefined
    ? undefined
    : runPreview(tool.permission.preview, options);
}

async function runPreview(
  preview: NonNullable<NonNullable<Tool["permission"]>["preview"]>,
  { gate, registered, args, record }: Parameters<typeof previewCall>[0],
): Promise<Previewed> {
  const signal = AbortSignal.timeout(previewMs);
  const { caller } = gate;
  const principal =
    record.principalId === undefined ? caller.principal : { id: record.principalId };
  const expired = new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
  );
  try {
    const context = {
      principal,
      signal,
      files: filesFor(caller.files, registered, requestToolFor(caller.tools, registered)?.type),
      denied: () => deniedResources([...gate.rules, ...gate.overrides()]),
    };
    const text = await Promise.race([preview(args, context), expired]);
    if (isToolError(text)) return { status: "failed", error: text };
    if (text.length > mostChars) return { status: "failed", error: tooLong(registered.name, text) };
    return { status: "shown", preview: { text, length: text.length, digest: digest(text) } };
  } catch (thrown) {
    const message = `${registered.name} could not show its effect, so it was not run: ${errorMessage(thrown)}`;
    return { status: "failed", error: { code: "preview_failed", message } };
  }
}

function tooLong(name: string, { length }: string): ToolErrorData {
  const message = `Not run: the effect of ${name} has ${length} characters, and an approval request shows at most ${mostChars}. Make smaller changes, in several calls.`;
  return { code: "preview_too_long", message };
}

/**
 * Returns an error if the effect of an approved call differs from the effect that its approval
 * request showed. For arguments that the user edited, the effect at the time of the answer counts.
 * Skips calls that have started, because they may have had their effect.
 */
export async function recheckPreview(
  options: Parameters<typeof previewCall>[0],
): Promise<ToolErrorData | undefined> {
  const { approval, startedAt } = options.record;
  if (approval?.preview === undefined || startedAt !== undefined) return undefined;
  const now = await previewCall(options);
  if (now === undefined || now.status === "failed") return now?.error;
  if (now.preview.digest === approval.preview.digest) return undefined;
  const message =
    "Not run: its effect changed after the approval was requested. Call it again to request approval of the current effect.";
  return { code: "effect_changed", message };
}
