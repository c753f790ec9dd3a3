import type { Passage } from "./passage.ts";

/** A pattern that makes sentences hard to read. */
export interface ProseRule {
  /** The advice: the words to write instead. */
  readonly advice: string;
  /** Finds the words in one sentence. */
  readonly pattern: RegExp;
  /** @default all kinds */
  readonly kinds?: readonly Passage["kind"][];
}

export interface ProseProblem {
  /** The words found. */
  readonly words: string;
  readonly sentence: string;
  readonly advice: string;
}

/** Words of one sentence. */
const mostWords = 32;

export const proseRules: readonly ProseRule[] = [
  {
    advice: "begin with a noun: `the cached values`, not `what is cached`",
    pattern: /^(?:What|Who|Whoever|Whatever|Whichever) (?!.*\?$)/,
  },
  {
    advice: "for a condition write `if`, for a place `in which`",
    pattern:
      // SQL has WHERE in capitals.
      /(?<!\b(?:to|from|is|are|asks?|says?|knows?|shows?|see|out|tells?) )\b[Ww]here (?:it|they|there|nothing|nobody|none|no|one|somebody|that|this|these|an?|the|its|some|any|he|she|we|you|neither|both|either|others)\b/,
  },
  {
    advice: "name the thing: `of the caller`, not `of who calls`",
    pattern:
      /\b(?:of|for|by|from|to|with|than|but|as) (?:who|whoever|whatever|whichever|what (?:is|was|are|were|has|had|can|may|must|comes?|came))\b/i,
  },
  {
    advice: "write `is not a …`, or `if there is no …`",
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were) (?:none|no) (?!longer|more\b|fewer|less\b|different|other\b|better|worse|later|earlier)/i,
  },
  {
    advice: "write `if there is none`, `nothing`, or the name of the thing that is missing",
    pattern: /(?<!\bthere )\b(?:is|are|was|were) none\b/i,
  },
  { advice: "write `again`", pattern: /\banew\b/i },
  { advice: "write `next to`, `besides` or `in addition to`", pattern: /\bbeside\b/i },
  {
    advice: "write `continue`, `resume` or `run`",
    pattern:
      /\bcarr(?:y|ies|ied|ying) (?:it |them |this )?on\b|\b(?:goes|go|going|went|gone) on\b/i,
  },
  {
    advice: "name the role: user, administrator, developer, caller",
    pattern: /\b(?:somebody|someone|anybody|everybody|whoever|a person|persons)\b/i,
  },
  {
    advice: "write `claim` or `take over`",
    pattern: /\bt(?:ake|akes|aken|ook|aking) (?:\w+ )?up\b/i,
  },
  { advice: "write `suspend`", pattern: /\bpark(?:s|ed|ing)?\b/i },
  { advice: "write `user's own`, `its own` or `custom`", pattern: /\bone's\b/i },
  { advice: "write `usually`", pattern: /^mostly\b/i },
  { advice: "write `respect`, `use` or `enforce`", pattern: /\bheed(?:s|ed|ing)?\b/i },
  {
    advice: "write `evict` or `release`",
    pattern: /\blet(?:s|ting)? go of\b|\bpush(?:ed|es)? out\b/i,
  },
  {
    advice: "write `is`, `is in` or `is stored in`",
    pattern: /\b(?:stands?|stood|lies|lay) (?:in|at|there|beside|behind|before|under)\b/i,
  },
  {
    advice: "write `request`, `approve` or `answer`",
    pattern: /\b(?:a|your|their|its|the|whose) word (?:counts|of|for|is)\b|\bthe word of\b/i,
  },
  { advice: "write `because`", pattern: /, since (?:it|they|the|a|an|this|that|no)\b/i },
];

/** Finds the sentences of a passage that break a rule, each with the first rule that it breaks. */
export function proseProblems({ file, kind, text }: Passage): readonly ProseProblem[] {
  return sentences(text).flatMap((written, index) => {
    // A test's name begins with a small letter.
    const sentence =
      index === 0 && kind === "message" && file.includes(".test.") ? capitalised(written) : written;
    for (const { pattern, advice, kinds } of proseRules) {
      if (kinds !== undefined && !kinds.includes(kind)) continue;
      const words = pattern.exec(sentence)?.[0];
      if (words !== undefined) return [{ words, sentence, advice }];
    }
    // Lists of names in code are easy to read.
    const words = sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word));
    const count = words.filter((word) => !/^\W*code\W*$/.test(word)).length;
    if (count <= mostWords || kind === "message") return [];
    return [{ words: `${count} words`, sentence, advice: "write two sentences" }];
  });
}

function sentences(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?:;])\s+/)
    .map((sentence) => sentence.replace(/^[\s"'(*>.-]+/, "").trim())
    .filter((sentence) => sentence !== "");
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The problem of a commit's subject, or `undefined`. */
export function subjectProblem(subject: string): string | undefined {
  if (subject.length > 72) return `has ${subject.length} characters; write at most 72`;
  if (subject.endsWith(".")) return "ends with a full stop";
  const [first = ""] = subject.split(" ");
  if (!/^\p{Lu}/u.test(first)) return "does not begin with a capital letter";
  if (/(?:[^e]ed|ing)$/.test(first) && !imperatives.has(first))
    return `begins with ${first}; write what the commit does, in the imperative`;
  return undefined;
}

const imperatives = new Set(["Bring", "Embed", "Shed", "String", "Ping", "Ring"]);
