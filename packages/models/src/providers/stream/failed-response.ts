/** The bytes of an error's body that are read. */
const maxErrorBytes = 20_000;

/** A response that reports an error. */
export interface FailedResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Returns the error of a failed response, with the fields that `failureFacts` reads. */
export async function failedResponse(response: FailedResponse): Promise<Error> {
  const { body, status, headers } = response;
  return Object.assign(new Error(`The request failed with status ${status}.`), {
    statusCode: status,
    responseHeaders: headers,
    responseBody: body === null ? "" : await beginningOf(body),
  });
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    size += chunk.length;
    if (size > maxErrorBytes) break;
  }
  return text;
}
