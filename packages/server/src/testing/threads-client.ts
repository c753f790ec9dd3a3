import OpenAI from "openai";
import type { TestApp } from "./app-fixtures.ts";

/** OpenAI's client of the Assistants API, connected to an app without a socket. */
export function threadsClient({ fetch }: TestApp, apiKey = "none"): OpenAI["beta"] {
  const options = { apiKey, baseURL: "http://127.0.0.1/v1", maxRetries: 0 };
  return new OpenAI({ ...options, fetch: (url, init) => fetch(new Request(url, init)) }).beta;
}
