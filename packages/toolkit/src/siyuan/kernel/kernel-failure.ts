import { KernelError } from "./kernel-error.ts";

/**
 * Returns the error for an HTTP status. The kernel uses statuses other than 200 only for access
 * errors.
 */
export function statusFailure(status: number, text: string, secret: string): KernelError {
  const message = shortMessage(messageOf(text), secret);
  if (status === 401)
    return new KernelError({
      code: "unauthorized",
      message: `SiYuan rejected the token: ${message || "no reason given"}. Tell the user to check siyuan.token in the configuration (in SiYuan: Settings, About, API token).`,
    });
  if (status === 403)
    return new KernelError({
      code: "forbidden",
      message:
        "SiYuan allows this request only to an administrator. The configured address may be its publishing service (port 6808); the tools need the kernel itself (port 6806) and its API token.",
    });
  return new KernelError({
    code: "http_error",
    message: `SiYuan answered with HTTP status ${status}${message === "" ? "" : `: ${message}`}.`,
    retryable: status === 429 || status >= 500,
  });
}

/** Returns the error for a reply whose code is not 0. */
export function kernelFailure(code: unknown, msg: string, secret: string): KernelError {
  const message = shortMessage(msg, secret);
  if (code === 3 || /indexing is in progress/i.test(msg))
    return new KernelError({
      code: "indexing",
      message: "SiYuan is building its index. Try again in a few seconds.",
      retryable: true,
    });
  if (/read-only mode/i.test(msg))
    return new KernelError({
      code: "read_only",
      message: "SiYuan is in read-only mode, so notes cannot be changed. Tell the user.",
    });
  if (/encrypted notebook/i.test(msg))
    return new KernelError({
      code: "locked_notebook",
      message: "The notebook is encrypted and locked. Only the user can unlock it, in SiYuan.",
    });
  if (/Content block with id|invalid ID argument|block not found|tree not found/i.test(msg))
    return new KernelError({
      code: "no_such_block",
      message: `${message}. searchKeyword and navigateDocTree return ids.`,
    });
  if (/daily note save path/i.test(msg))
    return new KernelError({
      code: "no_daily_notes",
      message:
        "This notebook has no path for daily notes. The user can set one in SiYuan, in the settings of the notebook.",
    });
  return new KernelError({
    code: "kernel_error",
    message: `SiYuan rejected the request: ${message || `code ${String(code)}`}.`,
  });
}

function messageOf(text: string): string {
  try {
    const reply: unknown = JSON.parse(text);
    return typeof reply === "object" && reply !== null && "msg" in reply ? String(reply.msg) : "";
  } catch {
    return "";
  }
}

/** Returns a message of the kernel as one short line, without the token. */
function shortMessage(message: string, secret: string): string {
  const open = secret === "" ? message : message.replaceAll(secret, "[token]");
  const line = open
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return (line.length > 300 ? `${line.slice(0, 300)}…` : line).replace(/\.$/, "");
}
