/** The short types of blocks by their long names, which some requests use. */
const shortTypes: { readonly [long: string]: string } = {
  NodeDocument: "d",
  NodeHeading: "h",
  NodeList: "l",
  NodeListItem: "i",
  NodeCodeBlock: "c",
  NodeMathBlock: "m",
  NodeTable: "t",
  NodeBlockquote: "b",
  NodeSuperBlock: "s",
  NodeParagraph: "p",
  NodeHTMLBlock: "html",
  NodeBlockQueryEmbed: "query_embed",
  NodeAttributeView: "av",
  NodeIFrame: "iframe",
  NodeWidget: "widget",
  NodeThematicBreak: "tb",
  NodeVideo: "video",
  NodeAudio: "audio",
  NodeCallout: "callout",
};

/** Returns the short type, as in SQL rows, for a long name: `p` for `NodeParagraph`. */
export function shortType(type: string): string {
  return shortTypes[type] ?? type;
}

const containers: ReadonlySet<string> = new Set(["d", "b", "l", "i", "s", "callout"]);

/** Returns whether a block of this short type holds other blocks. */
export function isContainer(type: string): boolean {
  return containers.has(type);
}

const names: { readonly [type: string]: string } = {
  d: "document",
  h: "heading",
  l: "list",
  i: "list item",
  c: "code",
  m: "math",
  t: "table",
  b: "quote",
  s: "super block",
  p: "paragraph",
};

/** Returns the name of a short type. */
export function typeName(type: string): string {
  return names[type] ?? type;
}
