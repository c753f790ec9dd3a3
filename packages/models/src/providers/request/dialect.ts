import type { Provider } from "./provider.ts";

/** What a conversation may contain on a wire; docs/reference/model-messages.md says why. */
export interface Dialect {
  /** The name under which the provider's metadata is kept and handed back. */
  readonly metadataKey: string;
  /** System and developer messages may stand between others. */
  readonly systemAnywhere: boolean;
  /** A person speaks first and last, and nobody speaks twice in a row. */
  readonly strictTurns: boolean;
  /** A tool's result may hold files that come as data; those that come as addresses too. */
  readonly filesInResults: "none" | "data" | "all";
  /** Reasoning is carried back as its text; elsewhere only with the metadata that signs it. */
  readonly unsignedReasoning: boolean;
  /** Characters of a call's id at most. */
  readonly idLength: number;
  /** What in a call's id is taken for illegal. */
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

export function dialectOf({ wire, id }: Pick<Provider, "wire" | "id">): Dialect {
  switch (wire) {
    case "openai-responses":
      return {
        metadataKey: "openai",
        systemAnywhere: true,
        strictTurns: false,
        filesInResults: "all",
        unsignedReasoning: false,
        idLength: 64,
        illegalInIds: beyondWordCharacters,
        namesBeginWithLetter: false,
        readsData: /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/,
        readsUrls: /^(?:image\/.+|application\/pdf)$/,
      };
    case "openai-chat":
      return {
        metadataKey: "openai",
        systemAnywhere: true,
        strictTurns: false,
        filesInResults: "none",
        unsignedReasoning: false,
        idLength: 40,
        illegalInIds: beyondWordCharacters,
        namesBeginWithLetter: false,
        readsData: /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf|audio\/(?:wav|mp3|mpeg))$/,
        readsUrls: /^image\/.+$/,
      };
    case "openai-compatible":
      return {
        metadataKey: id,
        // Many chat templates refuse a system message after the first one.
        systemAnywhere: false,
        strictTurns: true,
        filesInResults: "none",
        unsignedReasoning: true,
        idLength: 40,
        // Some templates show the model its ids, in a form of their own: `functions.Add:0`.
        illegalInIds: beyondPrintable,
        namesBeginWithLetter: false,
        readsData:
          /^(?:image\/(?:png|jpeg|gif|webp)|video\/[^*]+|application\/pdf|audio\/(?:wav|mp3|mpeg))$/,
        readsUrls: /^(?:image|video)\/.+$/,
      };
    case "anthropic":
      return {
        metadataKey: "anthropic",
        systemAnywhere: false,
        strictTurns: true,
        filesInResults: "all",
        unsignedReasoning: false,
        idLength: 64,
        illegalInIds: beyondWordCharacters,
        namesBeginWithLetter: false,
        readsData: /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/,
        readsUrls: /^(?:image\/.+|application\/pdf)$/,
      };
    case "google":
      return {
        metadataKey: "google",
        systemAnywhere: false,
        strictTurns: true,
        filesInResults: "data",
        unsignedReasoning: false,
        idLength: 64,
        illegalInIds: beyondWordCharacters,
        namesBeginWithLetter: true,
        readsData: geminiMedia,
        readsUrls: geminiMedia,
      };
  }
}
