import type { JsonValue, ToolErrorData } from "@capstan/core";

/** A failure that an address or a site caused; the tool returns it as a `toolError`. */
export class NetworkError extends Error {
  readonly data: ToolErrorData;

  constructor(data: ToolErrorData & { readonly details?: JsonValue }) {
    super(data.message);
    this.name = "NetworkError";
    this.data = data;
  }
}
