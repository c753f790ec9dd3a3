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

/** The maximum characters of a preview in an approval request. */
const shownChars = 65_536;
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
    const shown = text.slice(0, shownChars).toWellFormed();
    return {
      status: "shown",
      preview: { text: shown, length: text.length, digest: digest(text) },
    };
  } catch (thrown) {
    const message = `${registered.name} could not show its effect, so it was not run: ${errorMessage(thrown)}`;
    return { status: "failed", error: { code: "preview_failed", message } };
  }
}

/**
 * Returns an error if the effect of an approved call differs from the effect that its approval
 * request showed. Skips calls whose arguments the user edited, because they have no preview, and
 * calls that have started, because they may have had their effect.
 */
export async function recheckPreview(
  options: Parameters<typeof previewCall>[0],
): Promise<ToolErrorData | undefined> {
  const { approval, edited, startedAt } = options.record;
  if (approval?.preview === undefined || edited === true || startedAt !== undefined)
    return undefined;
  const now = await previewCall(options);
  if (now === undefined || now.status === "failed") return now?.error;
  if (now.preview.digest === approval.preview.digest) return undefined;
  const message =
    "Not run: its effect changed after the approval was requested. Call it again to request approval of the current effect.";
  return { code: "effect_changed", message };
}
