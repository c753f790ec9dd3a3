import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ContentPart, Message } from "@capstan/core";
import { anyConversation } from "../../testing/any-conversation.ts";
import { bodyOf } from "../../testing/body-of.ts";
import { formNames, modelOfForm } from "../../testing/provider-forms.ts";

/** A text with characters that JSON escapes, and with outer whitespace that packages trim. */
const long = (text: string, length: number) =>
  ` ${`${text}"\\\n\u0001é😀`.repeat(Math.ceil(length / (text.length + 7)))}\n `;

/** The conversation with a long text in place of each text. */
function lengthened(messages: readonly Message[], length: number): readonly Message[] {
  const lengthenedPart = (part: ContentPart): ContentPart => {
    if (part.type === "text") return { ...part, text: long(part.text, length) };
    if (!("source" in part) || part.source.type !== "base64") return part;
    const data = Buffer.alloc(length, part.source.data).toString("base64");
    return { ...part, source: { type: "base64", data } };
  };
  return messages.map((message) => {
    if (message.role === "tool")
      return {
        ...message,
        content: long(message.content, length),
        ...(message.parts && { parts: message.parts.map(lengthenedPart) }),
      };
    const content =
      typeof message.content === "string"
        ? long(message.content, length)
        : message.content.map(lengthenedPart);
    return { ...message, content } as Message;
  });
}

test("sends a long prompt unchanged", async (t) => {
  for (const form of formNames)
    await t.test(form, async () => {
      await fc.assert(
        fc.asyncProperty(anyConversation, async (conversation) => {
          const messages = lengthened(conversation, 2_000);
          // Only the first request is long enough for placeholders.
          const system = { role: "system", content: "x".repeat(300_000) } as const;
          const together = await bodyOf(form, [system, ...messages]);
          const expected = await bodyOf(form, [{ role: "system", content: "x" }, ...messages]);
          assert.equal(
            JSON.stringify(together).replace(/x{300000}/, "x"),
            JSON.stringify(expected),
          );
        }),
        { numRuns: 60 },
      );
    });
});

// Contract: durability-6
test("sends 20 MB of images and 20 MB of text without blocking the event loop", async () => {
  const data = Buffer.alloc(15_000_000, "image").toString("base64");
  const image = { type: "image", mimeType: "image/png", source: { type: "base64", data } } as const;
  const messages: readonly Message[] = [
    { role: "user", content: [image, image] },
    { role: "assistant", content: long("answer", 20_000_000) },
    { role: "user", content: "Go on." },
  ];
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const model = modelOfForm("openai-compatible", async (_, init) => {
    assert.ok(init?.body instanceof Blob && init.body.size > 60_000_000);
    return new Response('{"error":{"message":"enough"}}', { status: 400 });
  });
  const send = async (sent: readonly Message[]) => {
    const { signal } = new AbortController();
    await assert.rejects(Array.fromAsync(model.stream({ messages: sent, tools: [] }, signal)));
  };
  // Loads the provider's package.
  await send(messages.slice(2));
  /** The longest turn of the event loop while the messages are sent. */
  const longestTurn = async () => {
    let longestMs = 0;
    let last = cpuMs();
    const endTurn = () => {
      longestMs = Math.max(longestMs, cpuMs() - last);
      last = cpuMs();
    };
    const timer = setInterval(endTurn, 1);
    await send(messages);
    clearInterval(timer);
    endTurn();
    return longestMs;
  };
  /** Does the same work in one turn: converts the messages to JSON, and the JSON to bytes. */
  const oneTurn = () => {
    const start = cpuMs();
    assert.ok(new Blob([JSON.stringify(messages)]).size > 60_000_000);
    return cpuMs() - start;
  };
  let [turnMs, wholeMs] = [Infinity, Infinity];
  // Alternates the measurements, and takes the best of three, so that other processes do not affect
  // the result.
  for (let turn = 0; turn < 3; turn++) {
    wholeMs = Math.min(wholeMs, oneTurn());
    turnMs = Math.min(turnMs, await longestTurn());
  }
  assert.ok(
    turnMs < wholeMs / 2,
    `the longest turn took ${turnMs} ms; all in one took ${wholeMs} ms`,
  );
});
