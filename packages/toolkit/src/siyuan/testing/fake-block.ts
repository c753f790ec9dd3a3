/** A block of the fake kernel: plain data, which operations change in place. */
export interface FakeBlock {
  id: string;
  /** The short type of SQL rows. */
  type: string;
  subtype: string;
  /** The text of a leaf, as Markdown. */
  text: string;
  attrs: Map<string, string>;
  children: FakeBlock[];
}

let counter = 0;

/** Returns a new id. Ids sort in the order of creation. */
export function newId(): string {
  counter++;
  return `20260301${String(100_000 + counter)}-${counter.toString(36).padStart(7, "z")}`;
}

const listMarker = /^(?<indent> *)(?<marker>[*+-]|\d+[.)])(?: +|$)(?<rest>.*)$/;
const attributeLine = /^\{: (?<attributes>.*)\}\s*$/;

/** Parses Markdown with attribute lists into blocks, as the kernel does for the writes of its API. */
export function parseBlocks(markdown: string): FakeBlock[] {
  const lines = markdown.replaceAll("\r\n", "\n").split("\n");
  const blocks: FakeBlock[] = [];
  let at = 0;
  const take = (isPart: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && isPart(lines[at] ?? "")) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const attributes = attributeLine.exec(line)?.groups?.["attributes"];
    const last = blocks.at(-1);
    if (line.trim() === "") at++;
    else if (attributes !== undefined) {
      if (last !== undefined) setAttributes(last, attributes);
      at++;
    } else if (/^#{1,6} /.test(line)) {
      at++;
      blocks.push(leaf("h", line, `h${line.indexOf(" ")}`));
    } else if (/^(```|~~~|\$\$)/.test(line)) {
      const fence = line.slice(0, line.startsWith("$$") ? 2 : 3);
      at++;
      const body = take((one) => !one.startsWith(fence));
      const end = lines[at++] ?? fence;
      blocks.push(leaf(fence === "$$" ? "m" : "c", [line, ...body, end].join("\n")));
    } else if (line.startsWith(">")) {
      const inner = take((one) => one.startsWith(">")).map((one) => one.replace(/^> ?/, ""));
      blocks.push({ ...leaf("b", ""), children: parseBlocks(inner.join("\n")) });
    } else if (listMarker.test(line)) {
      const isPart = (one: string) => listMarker.test(one) || /^( {2,}|\s*$)/.test(one);
      blocks.push(parseList(take(isPart)));
    } else if (/^(---|\*\*\*)\s*$/.test(line)) {
      at++;
      blocks.push(leaf("tb", line));
    } else if (line.startsWith("|")) {
      blocks.push(leaf("t", take((one) => one.startsWith("|")).join("\n")));
    } else {
      const isText = (one: string) =>
        one.trim() !== "" && !attributeLine.test(one) && !/^(#{1,6} |```|>|\|)/.test(one);
      blocks.push(leaf("p", take(isText).join("\n")));
    }
  }
  return blocks;
}

function leaf(type: string, text: string, subtype = ""): FakeBlock {
  return { id: newId(), type, subtype, text, attrs: new Map(), children: [] };
}

function parseList(lines: readonly string[]): FakeBlock {
  const items: { marker: string; lines: string[] }[] = [];
  for (const line of lines) {
    const { indent, marker, rest = "" } = listMarker.exec(line)?.groups ?? {};
    if (indent === "" && marker !== undefined) items.push({ marker, lines: [rest] });
    else items.at(-1)?.lines.push(line.replace(/^ {1,3}/, ""));
  }
  const first = items[0]?.marker ?? "*";
  const isTask = /^(\{: [^}]*\})?\[[ xX]\]/.test(items[0]?.lines[0] ?? "");
  const subtype = isTask ? "t" : /\d/.test(first) ? "o" : "u";
  const children = items.map(({ marker, lines: [head = "", ...more] }) => {
    const { own, rest } = /^\{: (?<own>[^}]*)\}(?<rest>.*)$/.exec(head)?.groups ?? { rest: head };
    const item = { ...leaf("i", marker, subtype) };
    item.children = parseBlocks([rest, ...more].join("\n"));
    if (own !== undefined) setAttributes(item, own);
    return item;
  });
  return { ...leaf("l", "", subtype), children };
}

function setAttributes(block: FakeBlock, attributes: string): void {
  for (const [, name = "", value = ""] of attributes.matchAll(/([\w-]+)="([^"]*)"/g))
    if (name === "id") block.id = value;
    else block.attrs.set(name, value.replaceAll("&quot;", '"'));
}

/** Returns the attribute list of a block. */
export function attributeList({ id, attrs }: FakeBlock): string {
  const others = [...attrs].map(([name, value]) => ` ${name}="${value.replaceAll('"', "&quot;")}"`);
  return `{: id="${id}"${others.join("")}}`;
}

/** Returns the Markdown of a block with the attribute lists of all blocks in it. */
export function kramdownOf(block: FakeBlock): string {
  const list = attributeList(block);
  switch (block.type) {
    case "d":
      return [...block.children.map(kramdownOf), list].join("\n\n");
    case "b": {
      const inner = block.children.map(kramdownOf).join("\n\n");
      return `${inner
        .split("\n")
        .map((line) => `> ${line}`.trimEnd())
        .join("\n")}\n${list}`;
    }
    case "l":
      return `${block.children.map(kramdownOf).join("\n")}\n${list}`;
    case "i": {
      const [head = "", ...more] = block.children.map(kramdownOf).join("\n\n").split("\n");
      return [`${block.text} ${list}${head}`, ...more.map((line) => `  ${line}`.trimEnd())].join(
        "\n",
      );
    }
    default:
      return `${block.text}\n${list}`;
  }
}

/** Returns the Markdown of a block without attribute lists. */
export function markdownOf(block: FakeBlock): string {
  return kramdownOf(block)
    .split("\n")
    .filter((line) => !/^[> ]*\{: .*\}\s*$/.test(line))
    .map((line) => line.replace(/^([> ]*(?:[*+-]|\d+[.)]) )\{: [^}]*\}/, "$1"))
    .join("\n");
}

/** Returns a block and all blocks in it, in document order. */
export function* allBlocks(block: FakeBlock): Generator<FakeBlock> {
  yield block;
  for (const child of block.children) yield* allBlocks(child);
}
