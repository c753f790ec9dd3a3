// Text that is the same on every machine and needs as many tokens as human text.

const words =
  "the of and a to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years where much your way down should because long each just state those people too little state good very make world still see own work men day get here old life both between being under three never know same last another while us might great go come since against right came take used himself few house use place small around home rope deck harbour drum crew cargo anchor tide vessel captain keel signal repair watch storm ledger".split(
    " ",
  );

/** Returns a deterministic sequence of pseudorandom numbers. */
export function sequence(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Returns paragraphs of sentences, of approximately the given length in characters. */
export function prose(seed: number, characters: number): string {
  const next = sequence(seed);
  const paragraphs: string[] = [];
  for (let length = 0; length < characters;) {
    const sentences = Array.from({ length: 3 + next(4) }, () => sentence(next));
    const paragraph = sentences.join(" ");
    paragraphs.push(paragraph);
    length += paragraph.length + 2;
  }
  return paragraphs.join("\n\n").slice(0, characters);
}

export function sentence(next: (below: number) => number): string {
  const chosen = Array.from({ length: 7 + next(12) }, () => words[next(words.length)] ?? "");
  const text = chosen.join(" ");
  return `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`;
}
