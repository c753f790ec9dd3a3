import assert from "node:assert/strict";
import { test } from "node:test";
import { english } from "../testing/english.ts";
import { languages } from "./languages.ts";

/** Samples may be numbers: some texts return their value unchanged. */
type Text = string | ((...values: unknown[]) => unknown);

/** Values for texts that need other types than numbers and strings. */
const samples: { readonly [path: string]: readonly unknown[] } = {
  "calls.progressOf": [{ message: "7000", done: 7001, total: 7002 }],
  "calls.numbers": [{ shown: 7000, withheld: 7001, arguments: 7002 }],
  "scripts.values.usedBy": [["7000", "7001"]],
};
/** These texts replace the server's message in other languages. */
const replacesMessage = /^errors\.|^chat\.turn\.limitReached$/;
/** Names, addresses and commands, which are the same in every language. */
const isName = (text: string) =>
  text.split(/\s+/).filter((word) => /^[a-z]{2,}$/i.test(word)).length < 3;

function textsOf(part: object, path = ""): readonly (readonly [path: string, text: Text])[] {
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    const inner = path === "" ? key : `${path}.${key}`;
    if (typeof value === "object" && value !== null) return textsOf(value, inner);
    return [[inner, value as Text] as const];
  });
}

function written(path: string, text: Text, first: number): string {
  if (typeof text === "string") return text;
  return String(text(...(samples[path] ?? Array.from({ length: 4 }, (_, at) => first + at))));
}

/** The values that appear in a text, without the separators of thousands. */
function valuesIn(text: string): readonly string[] {
  const plain = text.replaceAll(/(?<=\d)[,.\s\u202F](?=\d{3})/gu, "");
  return [...new Set(plain.match(/700\d/g))].toSorted();
}

const originals = new Map(textsOf(english));

for (const { tag, name, load } of languages) {
  if (load === undefined) continue;
  test(`${name} has the values of each English text`, async () => {
    const wrong: string[] = [];
    for (const [path, text] of textsOf(await load())) {
      const original = originals.get(path) ?? "";
      assert.equal(typeof text, typeof original, path);
      const [own, wanted] = [text, original].map((one) => valuesIn(written(path, one, 7000)));
      if (replacesMessage.test(path)) continue;
      if (own?.join() !== wanted?.join())
        wrong.push(`${path}: ${own?.join(" ")} instead of ${wanted?.join(" ")}`);
    }
    assert.deepEqual(wrong, []);
  });

  test(`${name} has a text for each English one, also for 0 and 1`, async () => {
    const texts = textsOf(await load());
    assert.deepEqual(texts.map(([path]) => path).toSorted(), [...originals.keys()].toSorted());
    for (const [path, text] of texts)
      for (const first of [0, 1]) {
        const shown = written(path, text, first);
        assert.doesNotMatch(shown, /undefined|NaN|\[object/, `${tag}: ${path}`);
        // A heading around a tool's name may have no words before it.
        if (!path.endsWith(".heading.before")) assert.notEqual(shown.trim(), "", `${tag}: ${path}`);
      }
  });

  test(`${name} leaves no English sentence`, async () => {
    const same = textsOf(await load()).filter(
      ([path, text]) => typeof text === "string" && text === originals.get(path) && !isName(text),
    );
    assert.deepEqual(same, []);
  });
}
