import type { ToolGroup } from "@capstan/core";

/** The documents on the use of the file tools. */
export const fileRules: NonNullable<ToolGroup["declareSkillRules"]> = {
  "view-modes": {
    desc: "Ways to read a file",
    when: "Before you read a file of unknown size",
    prompt: `# Read files

| you want | call |
|---|---|
| the whole file | \`ViewFile {"path": "src/app.ts"}\` |
| some lines | \`ViewFile {"path": "src/app.ts", "startLine": 120, "endLine": 180}\` |
| lines for an edit or a quote | with \`"lineNumbers": true\` |
| text that looks broken | with \`"encoding": "windows-1252"\`, or the encoding that fits |

A partial result states its lines and how to read on. For a large file, find the lines with SearchFiles first.
Do not paste a long file into an argument: pass its result by reference.`,
  },
  "glob-usage": {
    desc: "Patterns of FindFiles",
    when: "Before you look for files by name",
    prompt: `# Globs

| glob | finds |
|---|---|
| \`*.md\` | in any folder |
| \`src/**/*.ts\` | at any depth below src |
| \`src/*.{ts,tsx}\` | only in src |
| \`**/test/*\` | in each folder named test |
| \`report-202[5-6].?sv\` | one of these characters; any one character |

\`FindFiles {"glob": "*.md", "path": "docs"}\` searches one folder. Hidden files are not found. node_modules and .git only with \`"dependencies": true\`.
A result of 500 paths may be truncated: narrow the glob or raise \`max\`.`,
  },
  "grep-usage": {
    desc: "Search the content of files",
    when: "Before you search for text in files",
    prompt: `# Search in files

- Text: \`SearchFiles {"query": "loadUser(", "glob": "*.ts"}\`. Characters such as ( and . are literal.
- Pattern: \`SearchFiles {"query": "class \\\\w+Error", "regex": true}\`, RE2 for one line: no lookaround, no backreferences. Double each backslash in JSON.
- \`"ignoreCase": true\`; \`"contextLines": 3\` shows the lines around; \`path\` is a folder or one file.
- Begin with a rare word. If there are 100 matches, narrow \`glob\` or \`path\` instead of raising \`max\`.`,
  },
};
