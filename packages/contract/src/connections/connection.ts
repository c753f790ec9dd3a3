/** A connection to an outside server, in `GET /v1/connections`. */
export interface ConnectionView {
  readonly object: "connection";
  /** The name of its tool group. */
  readonly name: string;
  /** `configuration`: from the server's settings file, which alone can change it. */
  readonly source: "configuration" | "user";
  readonly type: "http" | "program" | "openapi";
  /** The address or the program, without secrets. */
  readonly server: string;
  /** Whether the server may have a private address. Others are reached at public addresses only. */
  readonly private: boolean;
  readonly enabled: boolean;
  /**
   * `idle`: the next call connects. `needs_acceptance`: the server defines tools that no user has
   * accepted. `not_configured`: a variable is missing. `off`: not enabled.
   */
  readonly state:
    | "idle"
    | "connecting"
    | "ready"
    | "backing_off"
    | "needs_sign_in"
    | "needs_acceptance"
    | "not_configured"
    | "off";
  /** The last failure. */
  readonly error: string | null;
  /** The number of accepted tools. */
  readonly tools: number;
  /** The tools that no user has accepted. */
  readonly waiting: readonly string[];
  /** Problems in the server's list of tools. */
  readonly notes: readonly string[];
  /** Variables of the settings that are not set. */
  readonly missing: readonly string[];
  /** The credential that the caller uses, without its secrets. */
  readonly credential: ConnectionCredentialView | null;
}

/** A stored credential without its secrets. */
export interface ConnectionCredentialView {
  readonly type: "bearer" | "basic" | "api_key" | "oauth" | "client_credentials";
  /** Whether all users share it. */
  readonly shared: boolean;
  /** `unreadable`: it was encrypted with another secret key. */
  readonly state: "ready" | "needs_sign_in" | "unreadable";
  /** The authorization server. */
  readonly issuer: string | null;
  readonly scope: string | null;
  /** In seconds since 1970. */
  readonly updated_at: number;
}

/** A tool as its server defines it. Texts are untrusted. */
export interface ConnectionToolView {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly parameters: unknown;
  readonly output: unknown;
  /** The server's claims about the tool's effects. */
  readonly annotations: unknown;
  /** Changes with any part of the definition. */
  readonly digest: string;
}

/** A connection with its tools, in `GET /v1/connections/{name}`. */
export interface ConnectionDetail extends ConnectionView {
  /** All tools that the server lists, also those that no user has accepted. */
  readonly definitions: readonly ConnectionToolView[];
  readonly changes: {
    readonly added: readonly ConnectionToolView[];
    readonly removed: readonly ConnectionToolView[];
    readonly changed: readonly {
      readonly from: ConnectionToolView;
      readonly to: ConnectionToolView;
    }[];
  };
  /** Identifies the listed tools: accepting them requires it. */
  readonly digest: string;
}

/** Body of `POST /v1/connections`: a server at a URL, or a program. */
export interface ConnectionCreateBody {
  readonly name: string;
  readonly url?: string;
  /**
   * True accepts that the hosts of `url` and of the issuer have private addresses, if they do.
   * @default only if they are private by their names, for example `localhost` or `10.0.0.5`
   */
  readonly private?: boolean;
  readonly oauth?: ConnectionOAuthBody;
  readonly command?: string;
  readonly args?: readonly string[];
  /** Environment variables, which are stored encrypted and never returned. */
  readonly env?: { readonly [name: string]: string };
  /** Absolute paths. */
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** The hosts that the program can reach, or true for all public hosts. */
  readonly network?: boolean | readonly string[];
  readonly tools?: readonly string[];
  readonly shared?: boolean;
  readonly trust_annotations?: boolean;
}

/** How users sign in at a server. */
export interface ConnectionOAuthBody {
  readonly client_id?: string;
  /** Stored encrypted, and never returned. */
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly scope?: string;
  /** False sends no resource indicator. */
  readonly resource?: string | false;
}

/** Body of `PATCH /v1/connections/{name}`. */
export interface ConnectionUpdateBody {
  readonly enabled?: boolean;
  readonly tools?: readonly string[] | null;
  readonly trust_annotations?: boolean;
}

/** Body of `POST /v1/connections/{name}/accept`. */
export interface ConnectionAcceptBody {
  readonly digest: string;
}

/** A connection was removed. */
export interface ConnectionDeleted {
  readonly name: string;
  readonly object: "connection.deleted";
  readonly deleted: true;
}

/** Body of `PUT /v1/connections/{name}/credential`. The values are stored encrypted. */
export type ConnectionCredentialBody = { readonly shared?: boolean } & (
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | {
      readonly type: "api_key";
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
      readonly value: string;
    }
  | {
      readonly type: "client_credentials";
      readonly client_id: string;
      readonly client_secret: string;
      readonly scope?: string;
    }
);

/** A credential was deleted. */
export interface ConnectionCredentialDeleted {
  readonly object: "connection.credential.deleted";
  readonly name: string;
  readonly deleted: true;
  /** Whether the authorization server revoked it; null if it offers no revocation. */
  readonly revoked: boolean | null;
}

/** Body of `POST /v1/connections/{name}/sign_in`. */
export interface SignInBody {
  /** The address to which the browser returns. @default a code to enter on another device */
  readonly redirect_uri?: string;
  /** Whether all users share the access. @default false */
  readonly shared?: boolean;
}

/** A started sign-in. */
export interface SignInView {
  readonly object: "connection.sign_in";
  readonly type: "redirect" | "device";
  /** The address that the user opens. */
  readonly url: string;
  readonly state: string;
  /** The code that the user enters there. */
  readonly user_code: string | null;
  /** The interval for polling whether the user has entered the code. */
  readonly interval_seconds: number | null;
}

/** Body of `POST /v1/connections/sign_in`: the answer of the authorization server. */
export interface SignInAnswerBody {
  readonly state: string;
  readonly code?: string;
  readonly iss?: string;
  readonly error?: string;
}

/** The result of a sign-in. */
export interface SignInResult {
  readonly object: "connection.sign_in.result";
  /** `waiting`: the user has not entered the code yet. */
  readonly status: "signed_in" | "waiting";
  readonly name: string;
  readonly issuer: string | null;
  readonly interval_seconds: number | null;
}

/** The stored credentials were encrypted with a new key. */
export interface ConnectionKeyView {
  readonly object: "connection.key";
  readonly encrypted: number;
  /** Connections whose credentials were encrypted with a key that is lost. */
  readonly unreadable: readonly string[];
}
