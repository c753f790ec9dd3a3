/** The tokens that a model used on one day, in `GET /v1/usage`. */
export interface UsageView {
  readonly object: "usage";
  /** The day in the requested time zone, such as `2026-03-31`. */
  readonly day: string;
  /** `provider/model`. */
  readonly model: string;
  /** The runs that ended on that day and used tokens. */
  readonly runs: number;
  readonly input_tokens: number;
  /** The part of `input_tokens` that the provider had cached. */
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  /**
   * The cost at the configured prices of today, in their currency; null if the model has no prices.
   */
  readonly cost: number | null;
}
