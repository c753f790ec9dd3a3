import { json, listOf, type Operations, ref } from "../schemas/operation.ts";

/** Agents. */
export const agentOperations: Operations = {
  "GET /v1/agents": {
    summary: "List the agents of the configuration and of the user",
    answer: listOf("AgentView", "CorruptView"),
  },
  "POST /v1/agents": {
    summary: "Create an agent",
    body: ref("AgentCreateBody"),
    answer: json("AgentView"),
  },
  "GET /v1/agents/:name": { summary: "Read an agent", answer: json("AgentView") },
  "PUT /v1/agents/:name": {
    summary: "Replace an agent, or create it",
    body: ref("AgentBody"),
    answer: json("AgentView"),
  },
  "DELETE /v1/agents/:name": { summary: "Delete an agent", answer: json("AgentDeleted") },
};
