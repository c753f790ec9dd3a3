import { open } from "node:fs/promises";
import { errorMessage } from "@capstan/core/host";
import { NetworkError, rootCause } from "@capstan/sandbox";
import { ConnectionError } from "../../transport/connection-error.ts";
import { largestDocument, serviceFetch } from "../call/service-client.ts";
import { isUrl, type OpenApiConnection } from "../definition/openapi-connection.ts";

const mostRedirects = 5;
const timeoutMs = 30_000;

/**
 * Loads the text of a connection's document from its file or URL. No credentials are sent.
 *
 * @throws ConnectionError
 */
export async function loadDocument(
  connection: OpenApiConnection,
  signal: AbortSignal,
): Promise<string> {
  const { document } = connection;
  const bytes = isUrl(document)
    ? await fetchDocument(connection, signal)
    : await readDocumentFile(document);
  return new TextDecoder().decode(bytes);
}

async function readDocumentFile(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path);
    const stats = await file.stat();
    if (!stats.isFile()) throw failure(path, "it is not a file.");
    if (stats.size > largestDocument) throw tooLarge(path);
    return await file.readFile();
  } catch (thrown) {
    if (thrown instanceof ConnectionError) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    throw failure(path, code === "ENOENT" ? "there is no such file." : `${code ?? "error"}.`);
  }
}

async function fetchDocument(
  connection: OpenApiConnection,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const fetch = serviceFetch(connection, { maxBytes: largestDocument, ofDocument: true });
  const { document } = connection;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    let url = new URL(document);
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      const response = await fetch(url, {
        headers: { accept: "application/json, application/yaml, */*;q=0.8" },
        redirect: "manual",
        signal: deadline,
      });
      const location = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.body?.cancel().catch(() => {});
        const next = URL.parse(location, url);
        if (next === null || !/^https?:$/.test(next.protocol))
          throw failure(document, "it redirects to an invalid address.");
        url = next;
        continue;
      }
      if (!response.ok)
        throw failure(document, `the server responded with status ${response.status}.`);
      return new Uint8Array(await response.arrayBuffer());
    }
    throw failure(document, `it redirects more than ${mostRedirects} times.`);
  } catch (thrown) {
    signal.throwIfAborted();
    const cause = rootCause(thrown);
    const own = [thrown, cause].find((one) => one instanceof ConnectionError);
    if (own?.data.code === "too_large") throw tooLarge(document);
    if (own !== undefined) throw own;
    if (cause instanceof NetworkError) throw failure(document, cause.message);
    if (deadline.aborted)
      throw failure(document, `the server did not send it within ${timeoutMs / 1_000} s.`);
    throw failure(document, `${errorMessage(cause)}.`);
  } finally {
    await fetch.close();
  }
}

/** Returns the error of a document that cannot be read, without the query of its URL. */
export function failure(document: string, reason: string): ConnectionError {
  return new ConnectionError({
    code: "not_connected",
    message: `Cannot read the OpenAPI document ${shownDocument(document)}: ${reason}`,
  });
}

function tooLarge(document: string): ConnectionError {
  return failure(document, `it has more than ${largestDocument / 1024 / 1024} MB.`);
}

/** Returns the path or the URL of a document, without its query, which can be secret. */
export function shownDocument(document: string): string {
  const url = isUrl(document) ? URL.parse(document) : null;
  return url === null ? document : url.origin + url.pathname;
}
