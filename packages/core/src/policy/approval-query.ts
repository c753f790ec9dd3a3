import type { RegisteredTool } from "../tool/registry.ts";
import type { ApprovalRequest } from "./approval.ts";
import type { GrantQuery } from "./grant-book.ts";
import type { ToolArgs } from "../base/json.ts";
import type { RuledCall } from "./rule.ts";
import { ruledCall } from "./ruled-call.ts";

/** A question, as grants see the call that it is about; undefined where no grant can answer it. */
export function approvalQuery(
  approval: ApprovalRequest,
  registered: RegisteredTool | undefined,
): GrantQuery | undefined {
  if (approval.grant === undefined || registered === undefined) return undefined;
  return new QuestionQuery(approval, registered);
}

class QuestionQuery implements GrantQuery {
  readonly toolId: string;
  readonly definitionDigest: string;
  readonly key: string | undefined;
  readonly principalId: string;
  readonly #approval: ApprovalRequest;
  readonly #call: RuledCall;

  constructor(approval: ApprovalRequest, registered: RegisteredTool) {
    this.toolId = approval.toolId;
    this.definitionDigest = approval.definitionDigest;
    this.key = approval.grant?.key;
    this.principalId = approval.principalId;
    this.#approval = approval;
    this.#call = ruledCall(registered, approval.args);
  }

  /** Hashed when it is first looked at: that costs more than all the rest of a question. */
  get argsDigest(): string {
    return this.#approval.argsDigest;
  }

  get args(): ToolArgs {
    return this.#call.args;
  }
}
