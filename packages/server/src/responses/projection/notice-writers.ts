import type { ListedTool, McpApprovalRequestOutput, McpListToolsOutput } from "./wire.ts";
import type { InternedText } from "./interned-text.ts";
import { type ItemPosition, positionOf, type ItemWriter } from "./item-writer.ts";

/** A server group as a request declared it, with the tools it offers. */
export interface ServerListing {
  readonly label: string;
  /** The group's id; calls of `group.Tool` are shown under the label. */
  readonly group: string;
  readonly tools: readonly ListedTool[];
  /** Why it could not be listed. */
  readonly error?: string;
  /** The client has this list already: it is not shown again. @default false */
  readonly known?: boolean;
}

/** What a server group offers: the first items of a response. */
export function createListToolsWriter(listing: ServerListing): ItemWriter {
  let position: ItemPosition | undefined;
  const { label: server_label, tools, error } = listing;

  const final = (): McpListToolsOutput => ({
    id: positionOf(position).itemId,
    type: "mcp_list_tools",
    server_label,
    tools,
    ...(error === undefined ? {} : { error }),
  });

  return {
    kind: "notice",
    prefix: "mcpl",
    phase: () => "ended",
    isOpen: () => position !== undefined,
    open(given) {
      position = given;
      const { emit, outputIndex: output_index, itemId: item_id } = given;
      const added: McpListToolsOutput = {
        id: item_id,
        type: "mcp_list_tools",
        server_label,
        tools: [],
      };
      emit({ type: "response.output_item.added", output_index, item: added });
      emit({ type: "response.mcp_list_tools.in_progress", item_id, output_index });
    },
    snapshot: final,
    close() {
      const { emit, outputIndex: output_index, itemId: item_id } = positionOf(position);
      const type =
        error === undefined
          ? "response.mcp_list_tools.completed"
          : "response.mcp_list_tools.failed";
      emit({ type, item_id, output_index });
      emit({ type: "response.output_item.done", output_index, item: final() });
      return final();
    },
  };
}

/** A question to the client's user about one call. It is complete as it is asked. */
export function createApprovalWriter(request: {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly arguments: InternedText;
}): ItemWriter {
  let position: ItemPosition | undefined;
  const item = (): McpApprovalRequestOutput => ({
    id: request.id,
    type: "mcp_approval_request",
    server_label: request.label,
    name: request.name,
    arguments: request.arguments.text,
  });

  return {
    kind: "notice",
    prefix: "mcpr",
    fixedId: request.id,
    phase: () => "ended",
    isOpen: () => position !== undefined,
    open(given) {
      position = given;
      given.emit({
        type: "response.output_item.added",
        output_index: given.outputIndex,
        item: item(),
      });
    },
    snapshot: item,
    close() {
      const { emit, outputIndex: output_index } = positionOf(position);
      emit({ type: "response.output_item.done", output_index, item: item() });
      return item();
    },
  };
}
