import { shortJson } from "../json/short-json.ts";
import { CapstanError } from "../base/capstan-error.ts";
import { errorMessage } from "../base/error-message.ts";
import type { RequireApproval, RequireApprovalOf } from "./decide.ts";

/**
 * What a request says of asking about a tool. A word that is none is no word to run on: it may
 * have been meant to tighten.
 *
 * @throws CapstanError `invalid_options`
 */
export function requiredApproval(
  given: RequireApproval | RequireApprovalOf | undefined,
  toolId: string,
): RequireApproval | undefined {
  const word = typeof given === "function" ? wordOf(given, toolId) : given;
  if (word === "always" || word === "never") return word;
  if (word === undefined || word === null) return undefined;
  const message = `requireApproval gave ${shortJson(word)} for ${toolId}: it should say "always", "never" or nothing, at once.`;
  throw new CapstanError({ code: "invalid_options", message });
}

function wordOf(given: RequireApprovalOf, toolId: string): unknown {
  try {
    return given(toolId);
  } catch (thrown) {
    const message = `requireApproval threw for ${toolId}: ${errorMessage(thrown)}`;
    throw new CapstanError({ code: "invalid_options", message, cause: thrown });
  }
}
