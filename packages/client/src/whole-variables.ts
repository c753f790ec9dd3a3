import type { ExecutionApprovalView } from "@capstan/contract";
import type { Client } from "./client.ts";

/** The characters of a variable that one request reads. */
const pageChars = 500_000;

/**
 * Reads the parts of variables that an approval covers but its request does not contain, so that a
 * user can see them before the call is allowed.
 *
 * @returns the variables with their whole contents
 * @throws ApiError 409 if a variable is no longer the one that the approval covers
 */
export async function readWholeVariables(
  client: Pick<Client, "approvalVariable">,
  { id, variables = [] }: Pick<ExecutionApprovalView, "id" | "variables">,
  signal?: AbortSignal,
): Promise<NonNullable<ExecutionApprovalView["variables"]>> {
  const whole: NonNullable<ExecutionApprovalView["variables"]>[number][] = [];
  for (const variable of variables) {
    let { text } = variable;
    while (text.length < variable.length) {
      const page = { start: text.length, length: pageChars };
      const read = await client.approvalVariable(id, variable.name, page, signal);
      const more = read.variables?.find(({ name }) => name === variable.name)?.text ?? "";
      // The server rejects changed contents, so an empty page is a fault: the rest stays unseen.
      if (more === "") break;
      text += more;
    }
    whole.push({ ...variable, text });
  }
  return whole;
}
