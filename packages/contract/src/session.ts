/** `POST /v1/pairings`: a code that pairs one browser and works once. */
export interface PairingView {
  readonly object: "pairing";
  readonly code: string;
  /** In ms since the epoch. */
  readonly expires_at: number;
}

/** `GET /v1/sessions`: a paired browser. */
export interface SessionView {
  readonly id: string;
  readonly object: "session";
  /** The name that the browser gave when it was paired. */
  readonly name: string;
  /** In ms since the epoch. */
  readonly created_at: number;
  /** The time of the last use, accurate to an hour. */
  readonly used_at: number;
}

/** `POST /v1/sessions`: the new session of a paired browser. The response also sets its cookie. */
export interface OpenedSession extends SessionView {
  /** The browser sends it as `X-CSRF-Token` with every request. */
  readonly anti_forgery_token: string;
}
