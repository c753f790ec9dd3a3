import type { ToolGroup } from "@capstan/core";

/** The documents on the use of the editing tools. */
export const editRules: NonNullable<ToolGroup["declareSkillRules"]> = {
  "search-replace": {
    desc: "Edit parts of a file",
    when: "Before the first EditFile or ApplyPatch",
    prompt: `# EditFile

\`EditFile {"path": "src/app.ts", "edits": [{"search": "  return 1;", "replace": "  return 2;"}]}\`

- View the lines first, and copy \`search\` exactly, with its indentation. Take enough lines that it occurs once, or set \`"all": true\`.
- Put all edits of a file into one call. Each is found in the file as it is now, so later edits do not see earlier ones, and two must not overlap.
- An empty \`replace\` removes the lines. To insert, search for a line and repeat it in \`replace\`.
- If a text is not found, the error shows the most similar lines: copy those, do not guess again.
- Several files at once: ApplyPatch with \`*** Begin Patch\`.
- The user sees the diff before it is applied. Small edits are easier to approve.`,
  },
  "write-file": {
    desc: "Create, replace or extend a file",
    when: "Before the first WriteFile",
    prompt: `# WriteFile

| mode | effect |
|---|---|
| \`create\` (default) | fails if the file exists |
| \`overwrite\` | replaces the whole file; for parts use EditFile |
| \`append\` | adds at the end, without a line end before it |

\`WriteFile {"path": "notes/today.md", "content": "# Today\\\\n"}\` creates missing folders. End a text file with a line end.
A long text is passed by reference: \`"content": "$VAR_REF{{draft}}"\`.`,
  },
  "file-operations": {
    desc: "Move, copy and remove files; undo",
    when: "Before you move or remove files",
    prompt: `# Files and folders

\`MoveFile {"from": "a.md", "to": "docs/a.md"}\`, CopyFile, MakeDirectory, \`RemoveFile {"path": "drafts"}\`. A target must not exist yet; nothing is replaced.
There is no shell: each call names one file or folder, and several calls can be made at once.
Each result ends with its change. \`Undo {"change": "change_0123456789abcdef01234567"}\` undoes the whole change within 7 days, also of removed files, unless a file has changed since.`,
  },
};
