import type { ErrorBody } from "@capstan/contract";

/** The server said no, or could not be reached (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(options: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly cause?: unknown;
  }) {
    super(options.message, { cause: options.cause });
    this.name = "ApiError";
    this.status = options.status;
    this.code = options.code;
  }
}

/** What an answer that is no success says; whatever it is, there is a sentence. */
export async function readApiError(response: Response): Promise<ApiError> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const { message, code } = parseErrorBody(text) ?? { message: "", code: "" };
  const hint = status === 401 ? " Set CAPSTAN_API_KEY to a key of this server." : "";
  return new ApiError({
    status,
    code,
    message: `${message === "" ? `The server answered with status ${status}.` : message}${hint}`,
  });
}

function parseErrorBody(text: string): { message: string; code: string } | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    const error = body?.error;
    if (typeof error?.message !== "string") return undefined;
    return { message: error.message, code: typeof error.code === "string" ? error.code : "" };
  } catch {
    return undefined;
  }
}
