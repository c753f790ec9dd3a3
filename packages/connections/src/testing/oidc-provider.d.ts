declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface Token {
    readonly accountId?: string;
    readonly isExpired: boolean;
    readonly aud?: string | readonly string[];
    readonly scope?: string;
    destroy(): Promise<void>;
  }

  interface Tokens {
    find(token: string): Promise<Token | undefined>;
  }

  /** The parts that tests use: the package has no types. */
  export class Provider {
    constructor(issuer: string, options: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    readonly AccessToken: Tokens;
    readonly ClientCredentials: Tokens;
    readonly RefreshToken: Tokens;
  }
}
