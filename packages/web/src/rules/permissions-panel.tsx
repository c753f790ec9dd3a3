import { GrantsPart } from "../approvals/grants-part.tsx";
import { RulesPart } from "./rules-part.tsx";

/** Who may do what: the person's own rules, and their answers that hold for more than one call. */
export function PermissionsPanel() {
  return (
    <>
      <RulesPart />
      <GrantsPart />
    </>
  );
}
