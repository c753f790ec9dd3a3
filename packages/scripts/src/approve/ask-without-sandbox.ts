import type { Sandbox } from "@capstan/sandbox";
import type {
  ApprovedContents,
  DeclaredPermissions,
  ScriptPermissions,
} from "../definition/script-function.ts";

/**
 * Returns the approvals as they apply in this sandbox. Without a sandbox, scripts that were
 * approved to run without asking need approval for each call.
 */
export function askWithoutSandbox(
  kind: Sandbox["kind"],
  approvals: ApprovedContents,
): ApprovedContents {
  if (kind !== "none") return approvals;
  return {
    approved: (script) => {
      const approved = approvals.approved(script);
      return approved === undefined ? undefined : stricter(approved);
    },
    contentOf: (path) => approvals.contentOf(path),
    subscribe: (listener) => approvals.subscribe(listener),
  };
}

function stricter({ file, functions }: DeclaredPermissions): DeclaredPermissions {
  return {
    file: requireApproval(file),
    functions: Object.fromEntries(
      Object.entries(functions).map(([name, own]) => [name, requireApproval({ ...file, ...own })]),
    ),
  };
}

function requireApproval(permissions: ScriptPermissions): ScriptPermissions {
  const executionPolicy = permissions.executionPolicy === "deny" ? "deny" : "ask-always";
  return { ...permissions, executionPolicy };
}
