import assert from "node:assert/strict";
import { test } from "node:test";
import { contentParts } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";
import { answerLinks, withoutAnswerLinks } from "./answer-links.ts";

const url = "https://a.example:8443/v1/files/file-1/download?token=capstan1.Ab-_9";

test("the links that follow an answer are removed again, whatever the files' names are", () => {
  const names = ["a.pdf", "a](b).html", "[[\\", "back\\", "two\r\nlines\n", "*_`<>", "(1).pdf"];
  const web = "https://b.example/x?y=(1)";
  const links = answerLinks(names.map((name, n) => ({ name, url: n % 2 === 0 ? url : web })));
  assert.equal(links.split("\n").length, names.length);
  for (const text of ["", "Done.", "Two\n\nparagraphs."]) {
    const answer = text === "" ? links : `${text}\n\n${links}`;
    assert.equal(withoutAnswerLinks(answer), text);
    assert.doesNotMatch(withoutAnswerLinks(answer.replaceAll(/ "[^"\n]*"/g, "")), /token=/);
    assert.equal(
      withoutAnswerLinks(answer.replaceAll("\n", "\r\n")),
      text.replaceAll("\n", "\r\n"),
    );
  }
  assert.equal(withoutAnswerLinks(`One.\n\n${links}\n\nTwo.`), "One.\n\nTwo.");
});

test("long texts are searched in linear time", () => {
  const answer = `${"\n[".repeat(20_000_000)}\n\n[a](${url})`;
  const started = process.cpuUsage();
  assert.equal(withoutAnswerLinks(answer), "\n[".repeat(20_000_000));
  for (const line of [`[a](${url})x`, `[${"[".repeat(1_000)}](${url})`, `](${url}`])
    assert.equal(withoutAnswerLinks(`${line}\n`.repeat(2_000)), `${line}\n`.repeat(2_000));
  const { user } = process.cpuUsage(started);
  assert.ok(user < 3_000_000, `${user / 1_000} ms`);
});

test("other links of an answer stay", () => {
  for (const text of [
    "[a](https://a.example/v1/files/file-1)",
    "See\n\n[a](https://a.example/download?token=x)",
    "Done.\n\n[a](https://a.example/v1/files/file-1/content?token=x)",
  ])
    assert.equal(withoutAnswerLinks(text), text);
});

for (const [kind, source, url] of [
  [
    "stored",
    { type: "base64", data: Buffer.from("%PDF made").toString("base64") },
    /\/download\?token=/,
  ],
  ["web", { type: "url", url: "https://files.example/a (1).pdf" }, /files\.example/],
] as const)
  // Contract: files-14
  test(`a client that returns an answer with a ${kind} link keeps the server's results, and the model gets no link`, async () => {
    const report = tool("Report", () =>
      contentParts([
        { type: "text", text: "slate" },
        {
          type: "file",
          name: "made [1].pdf",
          mimeType: "application/pdf",
          source,
        },
      ]),
    );
    const model = new ScriptedModel([{ calls: [{ name: "Report" }] }, "It is done.", "Yes."]);
    const agents = { reader: { groups: [{ group: "g" }], history: "full" as const } };
    const app = createTestApp({ model, tools: [report], agents });
    const send = async (messages: readonly object[]) => {
      const body = { model: "reader", prompt_cache_key: "talk-1", store: true, messages };
      const answer = await app.call("POST", "/v1/chat/completions", { ...body, tools: toyTools });
      assert.equal(answer.status, 200);
      const { choices } = answer.body as unknown as {
        readonly choices: readonly { readonly message: { readonly content: string } }[];
      };
      return choices[0]?.message;
    };
    const question = { role: "user", content: "Make it" };
    const answer = await send([question]);
    assert.match(answer?.content ?? "", /^It is done\.\n\n\[made /);
    assert.match(answer?.content ?? "", url);
    await send([question, answer ?? {}, { role: "user", content: "Sure?" }]);
    const messages = model.requests.at(-1)?.messages ?? [];
    assert.doesNotMatch(JSON.stringify(messages.filter(({ role }) => role === "assistant")), url);
    const results = messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []));
    assert.equal(results.length, 1);
    assert.match(String(results[0]), /slate/);
    assert.deepEqual(
      messages.flatMap(({ role, content }) =>
        role === "assistant" && content !== "" ? [content] : [],
      ),
      ["It is done."],
    );
  });
