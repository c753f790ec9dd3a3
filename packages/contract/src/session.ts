/** `POST /v1/pairings`: a code that pairs one browser, once. */
export interface PairingView {
  readonly object: "pairing";
  readonly code: string;
  /** In milliseconds since the epoch. */
  readonly expires_at: number;
}

/** `GET /v1/sessions`: a paired browser. */
export interface SessionView {
  readonly id: string;
  readonly object: "session";
  /** The browser's name for itself when it was paired. */
  readonly name: string;
  /** In milliseconds since the epoch. */
  readonly created_at: number;
  /** To within an hour. */
  readonly used_at: number;
}

/** `POST /v1/sessions`: the session that a code opened. Its cookie comes with the answer. */
export interface OpenedSession extends SessionView {
  /** Sent as `X-CSRF-Token` with every request of this browser. */
  readonly anti_forgery_token: string;
}
