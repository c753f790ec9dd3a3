import type { ShownPreview, ShownVariable } from "@capstan/core/text";
import type {
  ItemEvent,
  ItemStatus,
  ListedTool,
  McpApprovalRequestOutput,
  McpListToolsOutput,
  OutputItem,
  UnnumberedEvent,
} from "./wire.ts";
import type { InternedText } from "./text-items.ts";

export type OutputOrder = ReturnType<typeof createOutputOrder>;

/**
 * The order of the output items. One item is the current output: the first in the queue. The writers
 * behind it buffer, so producers never wait.
 */
export function createOutputOrder(options: {
  readonly emit: Emit;
  /** An item's id from its writer's prefix and its position. */
  readonly itemId: (prefix: string, outputIndex: number) => string;
}) {
  const finished: OutputItem[] = [];
  /**
   * Writers of the finished items. They keep the texts alive that they share with other readers of
   * the run.
   */
  const closed: ItemWriter[] = [];
  let queue: ItemWriter[] = [];

  const open = (writer: ItemWriter): void => {
    if (writer.isOpen()) return;
    const outputIndex = finished.length;
    const itemId = writer.fixedId ?? options.itemId(writer.prefix, outputIndex);
    writer.open({ outputIndex, itemId, emit: options.emit });
  };

  const close = (writer: ItemWriter, status: "completed" | "incomplete"): void => {
    open(writer);
    finished.push(writer.close(status));
    closed.push(writer);
  };

  return {
    enter(writer: ItemWriter): void {
      queue.push(writer);
    },
    /** Removes a writer that has not opened. */
    withdraw(writer: ItemWriter): void {
      if (!writer.isOpen()) queue = queue.filter((other) => other !== writer);
    },
    /**
     * Sends all output that can be sent. `hold`: the last text stays open, because a later event
     * can still show that it was truncated.
     */
    advance({ hold }: { readonly hold: boolean }): void {
      for (let writer = queue[0]; writer !== undefined; writer = queue[0]) {
        if (writer.phase() === "silent") return;
        open(writer);
        const isLast = queue.length === 1;
        const phase = writer.phase();
        if (phase === "open") return;
        // A truncated call must never look complete, so it waits for the end of the response.
        if (phase === "cut" && (isLast || writer.kind === "client_call")) return;
        if (isLast && hold && writer.kind === "text") return;
        close(writer, "completed");
        queue.shift();
      }
    },
    /** Whether the current output is an incomplete call of the client. */
    isInCall(): boolean {
      const current = queue[0];
      return current !== undefined && current.isOpen() && isCutCall(current);
    },
    /** Ends the response: closes open items and drops unopened ones. */
    finish({ completed }: { readonly completed: boolean }): void {
      const rest = remaining(queue);
      queue = [];
      for (const [position, writer] of rest.entries()) {
        // Only the last item of a truncated response can be incomplete.
        const isCut = writer.phase() !== "ended" && !completed && position === rest.length - 1;
        close(writer, isCut || isCutCall(writer) ? "incomplete" : "completed");
      }
    },
    /** Returns the items so far, including the written part of the current output. */
    output(): readonly OutputItem[] {
      const current = queue[0];
      return current?.isOpen() === true ? [...finished, current.snapshot()] : [...finished];
    },
  };
}

function isCutCall(writer: ItemWriter): boolean {
  return writer.kind === "client_call" && writer.phase() !== "ended";
}

/** Returns the items of the queue that are shown when the response ends. */
function remaining(queue: readonly ItemWriter[]): readonly ItemWriter[] {
  const shown = queue.filter(
    (writer) => writer.phase() !== "silent" && (writer.isOpen() || !isCutCall(writer)),
  );
  // A truncated call must not look complete, and what the model wrote after it is dropped. Calls
  // that the server ran are always shown.
  const cut = shown.findIndex(isCutCall);
  if (cut === -1) return shown;
  const after = shown
    .slice(cut + 1)
    .filter(({ kind }) => kind !== "text" && kind !== "client_call");
  return [...shown.slice(0, cut + 1), ...after];
}

/** Receives the events of a writer. */
type Emit = (event: UnnumberedEvent) => void;

/**
 * `silent`: it has a position but no content yet. `open`: it still grows. `ended`: it has its final
 * form. `cut`: it does not grow, and later events decide whether it counts as finished.
 */
export type Phase = "silent" | "open" | "ended" | "cut";

/**
 * Writes one output item. Buffers its content until it opens, then sends the buffer, and from then
 * on each write immediately.
 */
export interface ItemWriter {
  readonly kind: "text" | "client_call" | "server_call" | "notice";
  /** The prefix of its item's id: `msg`. */
  readonly prefix: string;
  /** The item's id, if it does not depend on the position. */
  readonly fixedId?: string;
  phase(): Phase;
  isOpen(): boolean;
  open(position: ItemPosition): void;
  /** Returns the item as written so far. Call it only after the writer has opened. */
  snapshot(): OutputItem;
  /** Sends the closing events, and returns the final item. `incomplete`: it was cut off. */
  close(status: Exclude<ItemStatus, "in_progress">): OutputItem;
}

/** The position of an item in the output, which is assigned when its writer opens. */
interface ItemPosition {
  readonly outputIndex: number;
  readonly itemId: string;
  readonly emit: Emit;
}

/** Sends an event about an item, if its writer is open. */
type Send = (event: ItemEvent) => void;

interface ItemForm<Item extends OutputItem> extends Pick<
  ItemWriter,
  "kind" | "prefix" | "fixedId" | "phase"
> {
  /**
   * Returns the item as written so far. `isAdded`: as in its first event, without content.
   */
  item(id: string, status: ItemStatus, isAdded: boolean): Item;
  /** Sends the buffered content when the writer opens. */
  opened?(send: Send): void;
  /** Sends the events that precede the final item. */
  closing?(send: Send, final: Item): void;
}

/** Creates the writer of one item. All items have the same first and last events. */
export function createItemWriter<Item extends OutputItem>(
  form: ItemForm<Item>,
): { readonly writer: ItemWriter; readonly send: Send } {
  let position: ItemPosition | undefined;
  const positionOf = (): ItemPosition => {
    if (position === undefined) throw new Error("An output item was used before it was opened.");
    return position;
  };
  const send: Send = ({ type, ...rest }) => {
    if (position === undefined) return;
    const { itemId: item_id, outputIndex: output_index, emit } = position;
    emit({ type, item_id, output_index, ...rest } as UnnumberedEvent);
  };
  const { kind, prefix, fixedId } = form;
  const writer: ItemWriter = {
    kind,
    prefix,
    ...(fixedId !== undefined && { fixedId }),
    phase: () => form.phase(),
    isOpen: () => position !== undefined,
    open(given) {
      position = given;
      const { emit, outputIndex: output_index, itemId } = given;
      const item = form.item(itemId, "in_progress", true);
      emit({ type: "response.output_item.added", output_index, item });
      form.opened?.(send);
    },
    snapshot: () => form.item(positionOf().itemId, "in_progress", false),
    close(status) {
      const { emit, outputIndex: output_index, itemId } = positionOf();
      const item = form.item(itemId, status, false);
      form.closing?.(send, item);
      emit({ type: "response.output_item.done", output_index, item });
      return item;
    },
  };
  return { writer, send };
}

/**
 * Item ids are the same whenever a run's events are read again. An item's id consists of its
 * response and position. The id of an approval request consists of the id of its approval.
 */
export function itemIds(responseId: string): (prefix: string, outputIndex: number) => string {
  const suffix = responseId.replace(/^resp_/, "");
  return (prefix, outputIndex) => `${prefix}_${suffix}_${outputIndex}`;
}

const itemId = /^[a-z]+_([0-9a-z]+)_\d+(_in)?$/;

/**
 * Returns the run that an item's id names, or `undefined` if the id has another form. No index of
 * items is needed.
 */
export function runOfItem(id: string): string | undefined {
  const suffix = itemId.exec(id)?.[1];
  return suffix === undefined ? undefined : `resp_${suffix}`;
}

const approvalPrefix = "mcpr_";

/** Returns the id of the `mcp_approval_request` item that asks for an approval. */
export function approvalItemId(approvalId: string): string {
  return approvalPrefix + approvalId;
}

/**
 * Returns the id of the approval that a client's `approval_request_id` names, or `undefined` if it
 * has another form.
 */
export function approvalIdOf(itemId: string): string | undefined {
  return itemId.startsWith(approvalPrefix) ? itemId.slice(approvalPrefix.length) : undefined;
}

/** A server group as a request declared it, with the tools it offers. */
export interface ServerListing {
  readonly label: string;
  /** The group's id; calls of `group.Tool` are shown under the label. */
  readonly group: string;
  readonly tools: readonly ListedTool[];
  /** Why it could not be listed. */
  readonly error?: string;
  /** Whether the client already has this list: it is not shown again. @default false */
  readonly known?: boolean;
}

/** Writes the tools of a server group. These items are the first of a response. */
export function createListToolsWriter({ label, tools, error }: ServerListing): ItemWriter {
  return createItemWriter<McpListToolsOutput>({
    kind: "notice",
    prefix: "mcpl",
    phase: () => "ended",
    item: (id, _status, isAdded) => ({
      id,
      type: "mcp_list_tools",
      server_label: label,
      tools: isAdded ? [] : tools,
      ...(!isAdded && error !== undefined && { error }),
    }),
    opened: (send) => send({ type: "response.mcp_list_tools.in_progress" }),
    closing: (send) =>
      send({ type: `response.mcp_list_tools.${error === undefined ? "completed" : "failed"}` }),
  }).writer;
}

interface ClientApprovalRequest {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly arguments: InternedText;
  readonly variables: readonly ShownVariable[] | undefined;
  readonly preview: ShownPreview | undefined;
}

/** An approval request to the client's user about one call. */
export function approvalItem(request: ClientApprovalRequest): McpApprovalRequestOutput {
  const { id, label, name, arguments: args, variables = [], preview } = request;
  return {
    id,
    type: "mcp_approval_request",
    server_label: label,
    name,
    arguments: args.text,
    ...(variables.length > 0 && { variables }),
    ...(preview !== undefined && { preview }),
  };
}

/** Writes an approval request, which is complete when it opens. */
export function createApprovalWriter(request: ClientApprovalRequest): ItemWriter {
  return createItemWriter<McpApprovalRequestOutput>({
    kind: "notice",
    prefix: "mcpr",
    fixedId: request.id,
    phase: () => "ended",
    item: () => approvalItem(request),
  }).writer;
}
