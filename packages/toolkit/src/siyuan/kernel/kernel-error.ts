import { toolError, type ToolError, type ToolErrorData } from "@capstan/core";

/** A failure of the kernel or of a request to it. The tools return it as a `toolError`. */
export class KernelError extends Error {
  readonly data: ToolErrorData;

  constructor(data: ToolErrorData) {
    super(data.message);
    this.name = "KernelError";
    this.data = data;
  }
}

/** Returns an error that the model can correct. */
export function refused(code: string, message: string): KernelError {
  return new KernelError({ code, message });
}

/** Returns the error for a block or document that does not exist. */
export function noBlock(id: string): KernelError {
  return refused(
    "no_such_block",
    `There is no block "${id}". searchKeyword and navigateDocTree return ids.`,
  );
}

/** Converts failures of the kernel to tool errors. Throws other errors. */
export async function returnKernelErrors<T>(run: () => Promise<T>): Promise<T | ToolError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof KernelError) return toolError(error.data);
    throw error;
  }
}
