import type { ToolRegistry } from "../../tool/registry.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";
import { grantCovers } from "../../policy/grant-book.ts";
import { approvalQuery } from "../../policy/grant-query.ts";
import type { Grant } from "../../policy/grant.ts";

/** The open questions that an answer to another one answers, too. */
export function coveredBy(
  grant: Grant | undefined,
  questions: Iterable<ApprovalRequest>,
  registry: ToolRegistry,
): readonly string[] {
  if (grant?.verdict !== "allow") return [];
  return [...questions]
    .filter((approval) => {
      const query = approvalQuery(approval, registry.tool(approval.toolId));
      return query !== undefined && grantCovers(grant, query, grant.createdAt);
    })
    .map(({ id }) => id);
}
