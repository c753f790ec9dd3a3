import type { JsonValue, ToolErrorData } from "@capstan/core";

/** A failure caused by an address or a site, which the tool returns as a `toolError`. */
export class NetworkError extends Error {
  readonly data: ToolErrorData;

  constructor(data: ToolErrorData & { readonly details?: JsonValue }) {
    super(data.message);
    this.name = "NetworkError";
    this.data = data;
  }
}
