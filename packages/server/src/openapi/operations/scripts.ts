import { json, limit, listOf, type Operations, ref, word } from "../schemas/operation.ts";

/** Script files. */
export const scriptOperations: Operations = {
  "GET /v1/scripts": { summary: "List script files", answer: listOf("ScriptView") },
  "POST /v1/scripts": {
    summary: "Create a script file from a template",
    body: ref("ScriptCreateBody"),
    answer: json("ScriptDetail"),
  },
  "GET /v1/scripts/events": {
    summary: "Follow changes of the script files",
    answer: { type: "events", schema: ref("ScriptsChanged") },
  },
  "POST /v1/scripts/check": {
    summary: "Check the text of a script without running or saving it",
    body: ref("ScriptCheckBody"),
    answer: json("ScriptCheckView"),
  },
  "GET /v1/scripts/environment": {
    summary: "List the environment values for scripts, without the values themselves",
    answer: listOf("ScriptValueView"),
  },
  "PUT /v1/scripts/environment/:name": {
    summary: "Set or replace an environment value for scripts, which is stored encrypted",
    body: ref("ScriptValueBody"),
    answer: json("ScriptValueView"),
  },
  "DELETE /v1/scripts/environment/:name": {
    summary: "Remove a stored environment value",
    answer: json("ScriptValueDeleted"),
  },
  "GET /v1/scripts/:id": { summary: "Read a script file", answer: json("ScriptDetail") },
  "PUT /v1/scripts/:id": {
    summary: "Save a script file",
    body: ref("ScriptSaveBody"),
    answer: json("ScriptDetail"),
  },
  "DELETE /v1/scripts/:id": { summary: "Delete a script file", answer: json("ScriptDeleted") },
  "GET /v1/scripts/:id/files": {
    summary: "Read the files that an approval covers",
    query: [word("version", "Default: `current`.", ["current", "approved"])],
    answer: json("ScriptFilesView"),
  },
  "POST /v1/scripts/:id/restore": {
    summary: "Restore a deleted script file",
    answer: json("ScriptDetail"),
  },
  "POST /v1/scripts/:id/approve": {
    summary: "Approve exactly this content of a script",
    body: ref("ScriptApproveBody"),
    answer: json("ScriptDetail"),
  },
  "POST /v1/scripts/:id/revoke": {
    summary: "Revoke the approval of a script",
    answer: json("ScriptDetail"),
  },
  "GET /v1/scripts/:id/calls": {
    summary: "List the calls of a script's tools, newest first",
    query: [limit(100, 20)],
    answer: json("ScriptCallList"),
  },
  "POST /v1/scripts/:id/calls": {
    summary: "Start a run with one call of a script's tool",
    body: ref("ScriptCallBody"),
    answer: json("RunView"),
  },
};
