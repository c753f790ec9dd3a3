import type { ToolErrorData } from "@capstan/core";

/** A failure that a path, not the program, caused; the tools return it as a `toolError`. */
export class FileError extends Error {
  readonly data: ToolErrorData;

  constructor(code: string, message: string) {
    super(message);
    this.name = "FileError";
    this.data = { code, message };
  }
}

/** The `code` of a system error: `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
