/** A question that every client of the matrix can ask in its own way. */
export interface Question {
  readonly model: string;
  readonly prompt: string;
  readonly stream: boolean;
  /** Whether the client offers its tool `get_weather` and runs its calls until an answer. */
  readonly offersTool?: boolean;
  /** Whether the client sends a picture. */
  readonly sendsImage?: boolean;
  /** The JSON Schema of the answer. The client then returns the parsed answer as JSON. */
  readonly schema?: object;
}

/** A client of OpenAI's APIs with one version and one API. */
export interface Client {
  /** The package and its version. */
  readonly title: string;
  readonly api: "Responses" | "Chat Completions";
  /** Asks a question, and returns the text of the answer. Absent if the client is not installed. */
  readonly ask?: ((baseURL: string, question: Question) => Promise<string>) | undefined;
  /** Features that the client does not have, with the reason. */
  readonly lacks?: { readonly [feature in Feature]?: string };
}

/** The tested features; the page of clients has a column for each. */
export const features = {
  text: "text",
  streams: "streams",
  calls: "function calls",
  parallel: "parallel calls",
  schema: "answers that match a schema",
  images: "images",
  agent: "server tools through an agent",
  errors: "errors",
} as const;

export type Feature = keyof typeof features;

/** The client's tool. */
export const weather = {
  name: "get_weather",
  description: "Returns the weather",
  parameters: {
    type: "object",
    properties: { place: { type: "string" } },
    required: ["place"],
    additionalProperties: false,
  },
  run: ({ place }: { readonly place: string }): string => `storm in ${place}`,
} as const;

/** A picture of one pixel. */
export const image =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
