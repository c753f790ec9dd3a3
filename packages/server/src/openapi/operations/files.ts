import { purposes } from "../../files/file-options.ts";
import {
  after,
  json,
  limit,
  listOf,
  objectOf,
  type Operations,
  order,
  text,
} from "../schemas/operation.ts";

const expiry = {
  type: "object",
  description: "When the file expires. Default: never.",
  required: ["anchor", "seconds"],
  properties: { anchor: { const: "created_at" }, seconds: { type: "integer", minimum: 1 } },
};
const file = { type: "string", format: "binary" };

/** Files and uploads. */
export const fileOperations: Operations = {
  "GET /v1/files": {
    summary: "List files",
    query: [
      limit(10_000, 10_000),
      order("desc"),
      after,
      text("purpose", "Only files with this purpose."),
      text("conversation", "Only files of this conversation or thread."),
    ],
    answer: listOf("FileView"),
  },
  "POST /v1/files": {
    summary: "Upload a file",
    form: {
      type: "object",
      required: ["file", "purpose"],
      properties: { file, purpose: { enum: purposes }, expires_after: expiry },
    },
    answer: json("FileView"),
  },
  "GET /v1/files/:id": { summary: "Read the data of a file", answer: json("FileView") },
  "GET /v1/files/:id/content": {
    summary: "Download a file",
    description: "Supports the header `Range`.",
    answer: { type: "bytes" },
  },
  "GET /v1/containers/:id/files/:file/content": {
    summary: "Download a file that a message cites as a file of a container",
    description: "The container of the response `resp_X` is `cntr_X`.",
    answer: { type: "bytes" },
  },
  "POST /v1/files/:id/link": {
    summary: "Create a link that downloads a file without a key",
    answer: json("FileLinkView"),
  },
  "GET /v1/files/:id/download": {
    summary: "Download the file of a link",
    description: "The token of the link authenticates the request.",
    query: [text("token", "The token of the link.")],
    answer: { type: "bytes" },
  },
  "DELETE /v1/files/:id": { summary: "Delete a file", answer: json("FileDeleted") },
  "POST /v1/uploads": {
    summary: "Begin an upload in parts",
    body: {
      type: "object",
      required: ["filename", "purpose", "bytes", "mime_type"],
      properties: {
        filename: { type: "string" },
        purpose: { enum: purposes },
        bytes: { type: "integer", minimum: 1 },
        mime_type: { type: "string" },
        expires_after: expiry,
      },
    },
    answer: json("UploadView"),
  },
  "POST /v1/uploads/:id/parts": {
    summary: "Add a part to an upload",
    form: objectOf({ data: file }),
    answer: json("UploadPartView"),
  },
  "POST /v1/uploads/:id/complete": {
    summary: "Join the parts of an upload to a file",
    body: {
      type: "object",
      required: ["part_ids"],
      properties: {
        part_ids: { type: "array", items: { type: "string" }, minItems: 1 },
        md5: { type: "string", description: "The MD5 of the whole file, which is then checked." },
      },
    },
    answer: json("UploadView"),
  },
  "POST /v1/uploads/:id/cancel": { summary: "Cancel an upload", answer: json("UploadView") },
};
