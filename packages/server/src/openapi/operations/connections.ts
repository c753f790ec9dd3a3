import { json, listOf, type Operations, ref, word } from "../schemas/operation.ts";

/** Connections to outside servers. */
export const connectionOperations: Operations = {
  "GET /v1/connections": {
    summary: "List the connections and their states",
    answer: listOf("ConnectionView"),
  },
  "POST /v1/connections": {
    summary: "Add a connection to a server at a URL, or to a program in the sandbox",
    body: ref("ConnectionCreateBody"),
    answer: json("ConnectionDetail"),
  },
  "POST /v1/connections/sign_in": {
    summary: "Complete a sign-in with the answer of the authorization server",
    body: ref("SignInAnswerBody"),
    answer: json("SignInResult"),
  },
  "POST /v1/connections/rotate_key": {
    summary: "Encrypt all stored credentials with a new key",
    answer: json("ConnectionKeyView"),
  },
  "GET /v1/connections/:name": {
    summary: "Read a connection with its tools and their changes",
    answer: json("ConnectionDetail"),
  },
  "PATCH /v1/connections/:name": {
    summary: "Change a connection",
    body: ref("ConnectionUpdateBody"),
    answer: json("ConnectionDetail"),
  },
  "DELETE /v1/connections/:name": {
    summary: "Remove a connection, and revoke and delete its credentials",
    answer: json("ConnectionDeleted"),
  },
  "POST /v1/connections/:name/check": {
    summary: "Connect to the server and read its tools",
    answer: json("ConnectionDetail"),
  },
  "POST /v1/connections/:name/accept": {
    summary: "Accept exactly these tools of the server",
    body: ref("ConnectionAcceptBody"),
    answer: json("ConnectionDetail"),
  },
  "PUT /v1/connections/:name/credential": {
    summary: "Set or replace a credential, which is stored encrypted and never returned",
    body: ref("ConnectionCredentialBody"),
    answer: json("ConnectionDetail"),
  },
  "DELETE /v1/connections/:name/credential": {
    summary: "Revoke and delete the caller's credential, or the one that all users share",
    query: [word("shared", "Default: `false`.", ["true", "false"])],
    answer: json("ConnectionCredentialDeleted"),
  },
  "POST /v1/connections/:name/sign_in": {
    summary: "Start a sign-in at the server",
    body: ref("SignInBody"),
    answer: json("SignInView"),
  },
};
