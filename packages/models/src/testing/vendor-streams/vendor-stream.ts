import type { ProviderForm } from "../provider-forms.ts";
import { anthropicStream } from "./anthropic-stream.ts";
import { chatStream } from "./chat-stream.ts";
import { geminiStream } from "./gemini-stream.ts";
import { responsesStream } from "./responses-stream.ts";
import type { VendorAnswer } from "./vendor-answer.ts";

const writers: { readonly [form in ProviderForm]: (answer: VendorAnswer) => string } = {
  "openai-responses": responsesStream,
  "openai-chat": chatStream,
  "openai-compatible": chatStream,
  anthropic: anthropicStream,
  google: geminiStream,
  "google-older": geminiStream,
};

/** Returns the body of an answer in this form. */
export function vendorStream(form: ProviderForm, answer: VendorAnswer): string {
  return writers[form](answer);
}

/** How a body ends: normally, or with a lost connection. */
export type BodyEnd = "closed" | "lost";

/** Returns a `fetch` that answers each request with these chunks. */
export function chunkedFetch(
  chunks: readonly Uint8Array[],
  end: BodyEnd = "closed",
): typeof globalThis.fetch {
  return async () => {
    const left = [...chunks];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = left.shift();
        if (chunk !== undefined) controller.enqueue(chunk);
        else if (end === "closed") controller.close();
        else controller.error(new TypeError("terminated"));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}
