import type { Provider } from "./provider.ts";

/**
 * The rules of a wire protocol for conversations. docs/reference/model-messages.md gives the
 * reasons.
 */
export interface Dialect {
  /** The key of the provider's metadata in messages. */
  readonly metadataKey: string;
  /** Whether system and developer messages may be between other messages. */
  readonly systemAnywhere: boolean;
  /** Whether the first and last messages must be the user's and roles must alternate. */
  readonly strictTurns: boolean;
  /** Whether a tool result may contain files as data, or also files as URLs. */
  readonly filesInResults: "none" | "data" | "all";
  /**
   * Whether requests include reasoning as plain text. Otherwise they include only signed reasoning.
   */
  readonly unsignedReasoning: boolean;
  /** The maximum length of a call's id, in characters. */
  readonly idLength: number;
  /** Matches the characters that are illegal in a call's id. */
  readonly illegalInIds: RegExp;
  /** Whether a tool's name must begin with a letter or an underscore. */
  readonly namesBeginWithLetter: boolean;
  /** Match the media types of files that the provider accepts as data, and as URLs. */
  readonly readsData: RegExp;
  readonly readsUrls: RegExp;
}

const beyondWordCharacters = /[^a-zA-Z0-9_-]/g;
const beyondPrintable = /[^\x21-\x7e]/g;
const geminiMedia =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|(?:audio|video)\/[^*]+|application\/pdf)$/;

const imagesAndPdf = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/;

/** The rules that most wire protocols share. */
const common = {
  systemAnywhere: false,
  strictTurns: true,
  filesInResults: "none",
  unsignedReasoning: false,
  idLength: 64,
  illegalInIds: beyondWordCharacters,
  namesBeginWithLetter: false,
  readsData: imagesAndPdf,
  readsUrls: /^(?:image\/.+|application\/pdf)$/,
} as const;

export function dialectOf({ wire, id }: Pick<Provider, "wire" | "id">): Dialect {
  switch (wire) {
    case "openai-responses":
      return {
        ...common,
        metadataKey: "openai",
        systemAnywhere: true,
        strictTurns: false,
        filesInResults: "all",
      };
    case "openai-chat":
      return {
        ...common,
        metadataKey: "openai",
        systemAnywhere: true,
        strictTurns: false,
        idLength: 40,
        readsData: /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf|audio\/(?:wav|mp3|mpeg))$/,
        readsUrls: /^image\/.+$/,
      };
    case "openai-compatible":
      // Many chat templates reject a system message after the first one.
      return {
        ...common,
        metadataKey: id,
        unsignedReasoning: true,
        idLength: 40,
        // Some templates show the ids to the model, in forms such as `functions.Add:0`.
        illegalInIds: beyondPrintable,
        readsData:
          /^(?:image\/(?:png|jpeg|gif|webp)|video\/[^*]+|application\/pdf|audio\/(?:wav|mp3|mpeg))$/,
        readsUrls: /^(?:image|video)\/.+$/,
      };
    case "anthropic":
      return { ...common, metadataKey: "anthropic", filesInResults: "all" };
    case "google":
      return {
        ...common,
        metadataKey: "google",
        filesInResults: "data",
        namesBeginWithLetter: true,
        readsData: geminiMedia,
        readsUrls: geminiMedia,
      };
  }
}

/**
 * Returns whether a provider's models take a file of this type as it is. Most servers that are
 * compatible with OpenAI's API reject PDFs, so their models get the text.
 */
export function readsFile(provider: Pick<Provider, "wire" | "id">, mimeType: string): boolean {
  const type = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (provider.wire === "openai-compatible" && type === "application/pdf") return false;
  return dialectOf(provider).readsData.test(type);
}
