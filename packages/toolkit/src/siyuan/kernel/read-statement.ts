/** The SQLite functions that access files or load code. */
const unsafeFunctions = /^(load_extension|readfile|writefile|edit|fts3_tokenizer)$/i;

/**
 * Returns the reason why a text is not a single read-only SQL statement, or `undefined` if it is
 * one. The kernel's own check is not enough, because older kernels ignore the read-only mode.
 */
export function readStatementProblem(sql: string): string | undefined {
  const tokens = tokensOf(sql);
  if (tokens === undefined)
    return "A quote or a comment is not closed. Double a quote inside a text: 'it''s'.";
  while (tokens.at(-1)?.text === ";") tokens.pop();
  const [first] = tokens;
  if (first === undefined) return "The statement is empty.";
  if (tokens.some(({ text }) => text === ";")) return "Give one statement, without `;` in it.";
  const keyword = first.text.toUpperCase();
  if (keyword !== "SELECT" && keyword !== "WITH")
    return `Only SELECT is allowed, also after WITH; this statement begins with ${JSON.stringify(first.text.slice(0, 40))}.`;
  if (keyword === "WITH") {
    // The main statement of a WITH is the first keyword of a statement outside brackets.
    const main = tokens.find(
      ({ text, depth }) =>
        depth === 0 && /^(SELECT|VALUES|INSERT|UPDATE|DELETE|REPLACE)$/i.test(text),
    );
    if (main === undefined || !/^(SELECT|VALUES)$/i.test(main.text))
      return "Only SELECT is allowed after WITH.";
  }
  const unsafe = tokens.find(({ text }) => unsafeFunctions.test(text));
  return unsafe === undefined ? undefined : `The function ${unsafe.text} is not allowed.`;
}

/** Returns whether a statement has a LIMIT outside subqueries. */
export function hasLimit(sql: string): boolean {
  return tokensOf(sql)?.some(({ text, depth }) => depth === 0 && /^LIMIT$/i.test(text)) === true;
}

interface Token {
  readonly text: string;
  /** The number of open brackets at each token. */
  readonly depth: number;
}

const token =
  /(?<space>\s+|--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)|(?<open>['"`[]|\/\*)|(?<sign>[\s\S])/uy;

/** Returns the words and signs of a statement, without texts and comments. */
function tokensOf(sql: string): Token[] | undefined {
  const tokens: Token[] = [];
  let depth = 0;
  token.lastIndex = 0;
  for (let match = token.exec(sql); match !== null; match = token.exec(sql)) {
    const { quoted, word, open, sign } = match.groups ?? {};
    if (open !== undefined) return undefined;
    // Keep quoted names, because a quoted name can be that of a function.
    if (quoted !== undefined) tokens.push({ text: quoted.slice(1, -1), depth: depth + 1 });
    if (sign === ")") depth--;
    const text = word ?? sign;
    if (text !== undefined) tokens.push({ text, depth });
    if (sign === "(") depth++;
  }
  return tokens;
}

/** Returns a text as an SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("\0", "").replaceAll("'", "''")}'`;
}

/** Returns a LIKE pattern that matches any value that contains the text, for `ESCAPE '\'`. */
export function sqlLike(text: string): string {
  return sqlText(`%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`);
}
