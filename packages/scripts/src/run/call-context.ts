import type { Annotation, JsonObject, JsonValue, ToolContext, ToolFile } from "@capstan/core";
import type { CallContext, CallReport, HostReply, HostRequest } from "./worker/messages.ts";

/** The maximum number of bytes of a file in one message. */
const pieceBytes = 1024 * 1024;

/** The maximum number of sources of one call. The check of the result reports a longer list. */
const maxSources = 1_001;

/** Returns the part of a call's context that its function gets as data. */
export function callContext({ principal, request, tool, files }: ToolContext): CallContext {
  const { user, metadata, headers } = request;
  return {
    user: user ?? principal.id,
    request: {
      ...(user !== undefined && { user }),
      ...(metadata !== undefined && { metadata }),
      ...(headers !== undefined && { headers }),
    },
    tool: tool ?? null,
    files: files.map(({ id, name, mimeType, size }) => ({
      ...(id !== undefined && { id }),
      name,
      mimeType,
      ...(size !== undefined && { size }),
    })),
  };
}

/** The reports of one call, and the pieces of its files that it reads. */
export class CallReports {
  readonly #context: ToolContext;
  readonly #sources: Annotation[] = [];
  readonly #pieces = new Map<number, AsyncGenerator<Uint8Array, void, undefined>>();

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /** The sources of the result. They are checked with it. */
  get sources(): readonly Annotation[] {
    return this.#sources;
  }

  take(report: CallReport): void {
    const { output } = this.#context;
    switch (report.type) {
      case "write":
        return output.write(report.text);
      case "event":
        return output.event(report.name, report.data ?? null);
      case "cite":
        if (this.#sources.length < maxSources) this.#sources.push(annotationOf(report.annotation));
    }
  }

  /** Returns the next piece of a file, or null at its end. */
  async read({
    index,
    restart,
  }: Extract<HostRequest, { readonly what: "file" }>): Promise<HostReply> {
    const file = this.#context.files[index];
    if (file === undefined) {
      const message = `There is no file ${index}: the call has ${this.#context.files.length} files, counted from 0.`;
      return { error: { code: "file_not_found", message } };
    }
    const pieces = (!restart && this.#pieces.get(index)) || inPieces(file, this.#context.signal);
    this.#pieces.set(index, pieces);
    const { value, done } = await pieces.next();
    if (done === true) this.#pieces.delete(index);
    return {
      value: value === undefined ? null : { base64: Buffer.from(value).toString("base64") },
    };
  }
}

async function* inPieces(
  file: ToolFile,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const bytes of file.stream(signal))
    for (let from = 0; from < bytes.length; from += pieceBytes)
      yield bytes.subarray(from, from + pieceBytes);
}

/** Scripts name the fields of a source as the APIs do: `file_id`. */
const names: { readonly [name: string]: string } = {
  file_id: "fileId",
  container_id: "containerId",
  start_index: "start",
  end_index: "end",
};

function annotationOf(given: JsonObject): Annotation {
  const fields = Object.entries(given).map(([name, value]): [string, JsonValue] => [
    Object.hasOwn(names, name) ? (names[name] ?? name) : name,
    value ?? null,
  ]);
  // The gate checks it with the result.
  return Object.fromEntries(fields) as unknown as Annotation;
}
