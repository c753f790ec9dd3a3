import { halves, idOf, sse, type VendorAnswer } from "./vendor-answer.ts";

/**
 * Returns a stream of Google's streamGenerateContent: each call is complete in its own chunk, with
 * an object as arguments.
 */
export function geminiStream({ reasoning, text, calls = [], afterword }: VendorAnswer): string {
  const parts = [
    ...halves(reasoning).map((words) => ({ text: words, thought: true })),
    ...halves(text).map((words) => ({ text: words })),
    ...calls.map((call, index) => ({
      functionCall: {
        ...(call.id !== "" && { id: idOf(call, index) }),
        name: call.name,
        args: JSON.parse(call.arguments) as unknown,
      },
      ...(index === 0 && { thoughtSignature: "sig" }),
    })),
    ...halves(afterword).map((words) => ({ text: words })),
  ];
  const chunks = parts.map((part) => chunk([part]));
  return [...chunks, chunk([], "STOP")].map(sse).join("");
}

function chunk(parts: readonly object[], finishReason?: string): object {
  const content = { role: "model", parts };
  return {
    candidates: [{ content, index: 0, ...(finishReason !== undefined && { finishReason }) }],
    usageMetadata: {
      promptTokenCount: 20,
      cachedContentTokenCount: 8,
      candidatesTokenCount: 6,
      thoughtsTokenCount: 3,
      totalTokenCount: 29,
    },
  };
}
