import {
  deleted,
  json,
  listOf,
  number,
  objectOf,
  type Operations,
  ref,
  text,
} from "../schemas/operation.ts";
import { embeddingRequest } from "../schemas/request-schemas.ts";

/** The server itself: its state, models and tools, and paired browsers. */
export const serverOperations: Operations = {
  "GET /healthz": {
    summary: "Check that the server answers",
    answer: { type: "json", schema: objectOf({ status: { const: "ok" } }) },
  },
  "GET /openapi.json": {
    summary: "This document",
    answer: { type: "json", schema: { type: "object" } },
  },
  "GET /docs": { summary: "This document as a page", answer: { type: "bytes" } },
  "GET /connections/client.json": {
    summary: "Read the server's OAuth client metadata",
    answer: { type: "json", schema: { type: "object" } },
    isOptional: true,
  },
  "GET /v1/capstan": {
    summary: "Read the version, rights and settings of the server",
    answer: json("ServerInfo"),
  },
  "GET /v1/models": {
    summary: "List the agents and models that a request can name",
    answer: listOf("ModelView"),
  },
  "GET /v1/models/:id{.+}": { summary: "Read a model", answer: json("ModelView") },
  "POST /v1/embeddings": {
    summary: "Request embeddings from the provider of a model",
    description: "The provider receives all fields, and its answer is returned unchanged.",
    body: embeddingRequest(),
    asksModel: true,
    answer: {
      type: "json",
      schema: objectOf({ object: { const: "list" }, data: { type: "array" } }),
    },
  },
  "GET /v1/tools": {
    summary: "List the tool groups of the server",
    answer: listOf("ToolGroupView"),
  },
  "GET /v1/events": {
    summary: "Follow the changes of your data",
    description:
      "Conversations, runs, approvals, files and permissions, with their ids only. `Last-Event-ID` or `starting_after` continues after an event; `resync` says that changes may be missing.",
    query: [text("starting_after", "The cursor of the last known event.")],
    answer: { type: "events", schema: ref("UserEvent") },
  },
  "GET /v1/usage": {
    summary: "List the tokens that you used, by day and model",
    description:
      "Counts the runs that have ended and are not deleted. The cost is null for models without configured prices.",
    query: [
      number("days", "The number of days, with today: 1 to 366. Default: 30.", 1),
      number("utc_offset", "The time zone of the days: minutes ahead of UTC. Default: 0.", -840),
    ],
    answer: listOf("UsageView"),
  },
  "GET /v1/preferences": {
    summary: "Read your settings of the page",
    answer: json("PreferencesView"),
  },
  "PUT /v1/preferences": {
    summary: "Change your settings of the page",
    body: ref("PreferencesUpdate"),
    answer: json("PreferencesView"),
  },
  "GET /v1/providers": {
    summary: "List the providers of models, without their keys",
    answer: listOf("ProviderView"),
  },
  "PUT /v1/providers/:id": {
    summary: "Try a provider of models and store it",
    description:
      "The server asks the provider for its models. If it accepts the key, the key is stored encrypted and applies at once; otherwise nothing is stored.",
    body: ref("ProviderBody"),
    answer: json("ProviderView"),
  },
  "DELETE /v1/providers/:id": {
    summary: "Remove a stored provider, so that the environment of the server applies",
    answer: json("ProviderView"),
  },
  "POST /v1/pairings": {
    summary: "Create a code that pairs a browser",
    description: "Only for a terminal of the user who runs the server.",
    answer: json("PairingView"),
  },
  "POST /v1/sessions": {
    summary: "Pair a browser with a code",
    body: objectOf({ code: { type: "string" } }),
    answer: json("OpenedSession"),
  },
  "GET /v1/sessions": { summary: "List paired browsers", answer: listOf("SessionView") },
  "DELETE /v1/sessions/:id": {
    summary: "Revoke a paired browser",
    answer: deleted("session.deleted"),
  },
};
