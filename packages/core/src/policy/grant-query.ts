import type { ToolArgs } from "../base/json.ts";
import type { GrantOffer } from "../tool/permission.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { ApprovalRequest } from "./approval.ts";
import type { DecideOptions } from "./decide.ts";
import type { GrantQuery } from "./grant-book.ts";
import { type RuledCall, ruledCall } from "./rule.ts";

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

/** A proposed call, as grants see it. Its digests and its key are computed when they are first read. */
export function callQuery(options: DecideOptions, call: RuledCall): GrantQuery {
  return new CallQuery(options, call);
}

class CallQuery implements GrantQuery {
  readonly toolId: string;
  readonly principalId: string;
  readonly #options: DecideOptions;
  readonly #call: RuledCall;

  constructor(options: DecideOptions, call: RuledCall) {
    this.toolId = options.registered.id;
    this.principalId = options.principalId;
    this.#options = options;
    this.#call = call;
  }

  get definitionDigest(): string {
    return this.#options.digests().definition;
  }

  get argsDigest(): string {
    return this.#options.digests().args;
  }

  get key(): string | undefined {
    return grantScope(this.#options.registered, this.#options.args)?.key;
  }

  get args(): ToolArgs {
    return this.#call.args;
  }
}

/** Returns the wider grant that the tool offers for a call, if it offers one. */
export function grantScope({ tool }: RegisteredTool, args: ToolArgs): GrantOffer | undefined {
  try {
    return tool.permission?.grantScope?.(args);
  } catch {
    return undefined;
  }
}
