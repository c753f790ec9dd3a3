import { toolError, type ToolError } from "@capstan/core";
import { FileError, systemCode } from "./file-error.ts";

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
