import type { ServerGroup } from "@capstan/store";
import type { RequestToolChoice, RequestTools } from "./request/create-request.ts";

/** The tools that may be called: a choice of some, or of one server's, is a hard limit. */
export function allowedTools(
  tools: RequestTools,
  choice: RequestToolChoice,
): Pick<RequestTools, "client" | "servers"> {
  if (choice.type !== "allowed" && choice.type !== "server") return tools;
  const chosen = choice.type === "allowed" ? choice.tools : [choice];
  const client = tools.client.filter(({ function: { name } }) =>
    chosen.some((tool) => tool.type === "function" && tool.name === name),
  );
  const servers = tools.servers.flatMap((server): ServerGroup[] => {
    const meant = chosen.filter((tool) => tool.type === "server" && tool.label === server.label);
    if (meant.length === 0) return [];
    const names = meant.flatMap((tool) => (tool.name === undefined ? [] : [tool.name]));
    if (names.length < meant.length) return [server];
    const before = server.allowedTools?.toolNames;
    const toolNames = before === undefined ? names : names.filter((name) => before.includes(name));
    return [{ ...server, allowedTools: { ...server.allowedTools, toolNames } }];
  });
  return { client, servers };
}
