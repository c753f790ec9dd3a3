import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../tool/define-tool.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import type { ApprovalRequest } from "./approval.ts";
import { approvalQuery } from "./grant.ts";

test("a request's arguments are hashed only if a grant needs the digest", () => {
  const executor = executorWith([defineTool({ ...reads, name: "Look", execute: () => "seen" })]);
  const [registered] = executor.enabledTools();
  assert.ok(registered !== undefined);
  let hashed = 0;
  const approval: ApprovalRequest = {
    id: "appr_1",
    callId: "call_1",
    toolId: registered.id,
    toolName: registered.name,
    groupTitle: "Test",
    description: "",
    args: {},
    get argsDigest() {
      hashed++;
      return "the digest";
    },
    definitionDigest: "of the definition",
    principalId: "local",
    reason: "it asks",
    remember: true,
    grant: { title: "every call of Look" },
    createdAt: 0,
    expiresAt: 1,
  };
  const query = approvalQuery(approval, registered);
  assert.equal(hashed, 0);
  assert.equal(query?.argsDigest(), "the digest");
  assert.equal(hashed, 1);
});
