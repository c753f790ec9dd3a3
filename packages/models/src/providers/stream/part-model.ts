import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

/**
 * A part of an answer. Packages report a refusal as text; only its raw part identifies it as a
 * refusal.
 */
export type ProviderPart =
  | LanguageModelV4StreamPart
  | { readonly type: "refusal-delta"; readonly text: string }
  /** The tokens of the next text, as the provider sent them. */
  | { readonly type: "logprobs"; readonly tokens: unknown };

/** A request to a model in the form of the providers' packages. */
export type CallOptions = Omit<LanguageModelV4CallOptions, "abortSignal">;

/** A provider's model, which answers requests with parts. */
export interface PartModel {
  readonly modelId: string;
  /**
   * Sends a request. Resolves when its answer begins.
   *
   * @param signal aborts the request and its answer
   */
  open(options: CallOptions, signal: AbortSignal): Promise<PartReader>;
}

/** The parts of one answer, in the groups in which they arrive. */
export interface PartReader {
  /**
   * Returns the next parts, or `undefined` at the end. An empty list means that the provider has
   * sent data without a part.
   */
  read(): Promise<readonly ProviderPart[] | undefined>;
  /** Ends the answer, and with it a pending `read`. */
  cancel(reason: unknown): void;
}

/** Returns a model of a provider's package. */
export function packageModel(model: LanguageModelV4): PartModel {
  return {
    modelId: model.modelId,
    async open(options, signal) {
      const { stream } = await model.doStream({ ...options, abortSignal: signal });
      const reader = stream.getReader();
      return {
        async read() {
          const { done, value } = await reader.read();
          return done ? undefined : [value];
        },
        cancel: (reason) => void reader.cancel(reason).catch(() => undefined),
      };
    },
  };
}
