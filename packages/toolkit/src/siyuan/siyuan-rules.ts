import type { ToolGroup } from "@capstan/core";

/** The documents on the use of the SiYuan tools. */
export const siyuanRules: NonNullable<ToolGroup["declareSkillRules"]> = {
  "block-markdown-syntax": {
    desc: "Markdown of SiYuan",
    alwaysLoad: true,
    prompt: `A note is a tree of blocks, each with an id such as 20260101120000-abc1234. Besides Markdown:
\`((ID "text"))\` refers to a block, \`[text](siyuan://blocks/ID)\` links to it, \`{{SELECT …}}\` embeds a query, \`#tag#\` is a tag. Blocks are separated by an empty line.`,
  },
  "doc-tree": {
    desc: "Notebooks, documents and paths",
    when: "Before you look for a document by its location",
    prompt: `# Notebooks and documents

A notebook holds documents, and a document holds documents and blocks. A document is the root block of its file.

| path | example | use |
|---|---|---|
| of ids | \`/20260101120000-aaaaaaa/20260101120500-bbbbbbb.sy\` | exact |
| of titles (hpath) | \`/Projects/Plan\` | for people; several documents can have the same one |

- \`navigateDocTree {"entry": "20260101120000-abc1234"}\` with the id of a notebook lists its top, \`"direction": "siblings"\` or \`"parent"\` the surroundings of a document.
- \`listActiveDocs\` lists what the user viewed recently, which can be closed by now.
- A closed notebook is not searched. A locked one cannot be read; only the user can unlock it.`,
  },
  "sql-overview": {
    desc: "Tables and limits of querySQL",
    when: "Before the first querySQL",
    prompt: `# querySQL

SQLite, one SELECT, read-only. Tables: \`blocks\`, \`attributes\`, \`refs\` (see Rule/siyuan/sql-blocks-table, sql-attributes-table, sql-refs-table).

- Without a LIMIT, at most 64 rows are returned. Give a LIMIT, and an OFFSET for more.
- Rows have no document order: read the order with getBlockContent.
- Times are text: \`created LIKE '202603%'\`, \`updated > '20260301000000'\`.
- Double a quote in a text: \`content LIKE '%it''s%'\`.
- The index lags behind edits of the user by a moment.

Tasks that are open: \`SELECT id, content, hpath FROM blocks WHERE type = 'i' AND subtype = 't' AND markdown LIKE '%[ ]%' ORDER BY updated DESC LIMIT 50\``,
  },
  "sql-blocks-table": {
    desc: "Columns of the table blocks",
    when: "When you write SQL on blocks",
    prompt: `# blocks

| column | content |
|---|---|
| id, parent_id, root_id | the block, the one that holds it, its document |
| box, path, hpath | notebook, path of ids, path of titles |
| content, markdown | text without and with Markdown; the title of a document |
| type | d document, h heading, p paragraph, l list, i list item, c code, m math, t table, b quote, s super block, av database, html, query_embed, tb, iframe, widget, video, audio, callout |
| subtype | h1 to h6; u, o, t for bulleted, ordered and task lists |
| name, alias, memo, tag | set by the user |
| created, updated | 20260101120000 |

\`SELECT hpath, count(*) FROM blocks WHERE type = 'h' GROUP BY root_id LIMIT 20\``,
  },
  "sql-refs-table": {
    desc: "Columns of the table refs",
    when: "When you look for references between blocks",
    prompt: `# refs

\`block_id\` refers to \`def_block_id\`; \`root_id\` and \`def_block_root_id\` are their documents; \`content\` is the text of the reference.

Blocks that refer to a document: \`SELECT b.id, b.content, b.hpath FROM refs AS r JOIN blocks AS b ON b.id = r.block_id WHERE r.def_block_root_id = 'ID' LIMIT 50\``,
  },
  "sql-attributes-table": {
    desc: "Columns of the table attributes",
    when: "When you look for attributes of blocks",
    prompt: `# attributes

\`name\`, \`value\`, \`block_id\`, \`root_id\`, \`box\`. Attributes of users and plugins begin with \`custom-\`; others are name, alias, memo and bookmark.

\`SELECT b.id, b.content, a.value FROM attributes AS a JOIN blocks AS b ON b.id = a.block_id WHERE a.name = 'custom-status' AND a.value = 'done' LIMIT 50\``,
  },
  dailynote: {
    desc: "Daily notes",
    when: "Before you read or write daily notes",
    prompt: `# Daily notes

Each notebook has its own daily notes, if the user has set a path for them (listNotebooks says so).

- Read: \`getDailyNoteDocs {}\` finds today's, \`{"atDate": "2026-03-01"}\` a day's, \`{"afterDate": "2026-03-01", "beforeDate": "2026-03-07"}\` those of a week. Then getBlockContent.
- Write: \`appendContent {"target": "dailynote", "id": "20260101120000-abc1234", "markdown": "…"}\` with the id of the notebook creates today's note if there is none.
- Today is the day in the user's time zone. Pass \`timeZone\` if you know another one.`,
  },
  "slice-reading": {
    desc: "Slices of getBlockContent",
    when: "Before you read a long document",
    prompt: `# Slices

| slice | blocks |
|---|---|
| \`BEGIN:+50\` (default) | the first 50 |
| \`ID:+50\` | the 50 after a block, without it: the next page |
| \`ID:-20\` | the 20 before a block, without it |
| \`END:-20\` | the last 20 |
| \`ID:ID\` | from one block to another, with both |
| \`100:150\` | by position, from 0 |

getBlockInfo lists the headings of a document. getBlockContent with the id of a heading reads its section, and with the id of a list its items one by one.`,
  },
  "block-edit-search-replace": {
    desc: "The form of diffs",
    when: "Always before applyBlockDiff",
    prompt: `# applyBlockDiff

Begin each edit with the id of its block, as getBlockContent shows it.

\`\`\`
@@20260101120000-abc1234@@
<<<<<<< SEARCH
words or lines of the block, copied exactly
=======
what replaces them
>>>>>>> REPLACE

@@20260101120100-abc1234@@ AFTER
Markdown of new blocks, up to the next header.
\`\`\`

| command | effect |
|---|---|
| SEARCH blocks | change parts of the text; several for one block are joined; an empty text deletes the block |
| REPLACE | the whole text of the block |
| DELETE | removes the block |
| BEFORE, AFTER | new blocks next to it |
| PREPEND, APPEND | new blocks in a document, list or quote, or in the section of a heading |

- All edits are made, or none. \`"dryRun": true\` only checks and shows them. The user sees the diff before it is applied.
- A list holds only list items: give \`* text\`. For a document use PREPEND and APPEND, and edit its blocks by their ids.
- Do not change a block and a block in it in one diff. Leave out \`{: id="…"}\`.
- If the text has a line \`=======\`, use REPLACE. A line of text that begins with \`@@\` is written \`\\@@\`.
- \`{"undo": "change_…"}\` undoes a change, unless its blocks have changed since.`,
  },
};
