import type { ToolErrorData } from "@capstan/core";

/** An error that a path caused, not a programming error. The tools return it as a `toolError`. */
export class FileError extends Error {
  readonly data: ToolErrorData;

  constructor(code: string, message: string) {
    super(message);
    this.name = "FileError";
    this.data = { code, message };
  }
}
