import { toolError, type ToolError, type ToolErrorData } from "@capstan/core";

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

/** Turns what a path or the disk caused into an outcome; anything else is a broken program. */
export async function returnFileErrors<T>(run: () => Promise<T>): Promise<T | ToolError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof FileError) return toolError(error.data);
    const code = systemCode(error);
    if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw error;
    return toolError({
      code: "unreadable",
      message: `The system refused to read it (${code}). It may have changed meanwhile; look again.`,
      retryable: true,
    });
  }
}
