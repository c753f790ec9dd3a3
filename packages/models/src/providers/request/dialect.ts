import type { Provider } from "./provider.ts";

/** The rules of a wire for conversations; docs/reference/model-messages.md has the reasons. */
export interface Dialect {
  /** The name under which the provider's metadata is kept and handed back. */
  readonly metadataKey: string;
  /** System and developer messages may stand between others. */
  readonly systemAnywhere: boolean;
  /** The first and last messages are the user's, and roles alternate. */
  readonly strictTurns: boolean;
  /** A tool's result may hold files that come as data; those that come as addresses too. */
  readonly filesInResults: "none" | "data" | "all";
  /** Reasoning is carried back as its text; elsewhere only with the metadata that signs it. */
  readonly unsignedReasoning: boolean;
  /** Characters of a call's id at most. */
  readonly idLength: number;
  /** The characters that are illegal in a call's id. */
  readonly illegalInIds: RegExp;
  /** The name of a tool begins with a letter or an underscore. */
  readonly namesBeginWithLetter: boolean;
  /** Media types of the files it takes as data, and as addresses. */
  readonly readsData: RegExp;
  readonly readsUrls: RegExp;
}

const beyondWordCharacters = /[^a-zA-Z0-9_-]/g;
const beyondPrintable = /[^\x21-\x7e]/g;
const geminiMedia =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|(?:audio|video)\/[^*]+|application\/pdf)$/;

const imagesAndPdf = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/;

/** The rules that most wires share. */
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
      // Many chat templates refuse a system message after the first one.
      return {
        ...common,
        metadataKey: id,
        unsignedReasoning: true,
        idLength: 40,
        // Some templates show the model its ids, in a form of their own: `functions.Add:0`.
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
