import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { SecretSealer } from "../credentials/secret-store.ts";

/** Creates a sealer with a key, which also decrypts values that older keys encrypted. */
export function testSealer(...keys: readonly [string, ...string[]]): SecretSealer {
  const bytesOf = (key: string) => createHash("sha256").update(key).digest();
  return {
    seal(label, text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", bytesOf(keys[0]), nonce);
      cipher.setAAD(Buffer.from(label));
      const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(parts).toString("base64");
    },
    open(label, sealed) {
      const bytes = Buffer.from(sealed, "base64");
      for (const key of keys)
        try {
          const cipher = createDecipheriv("aes-256-gcm", bytesOf(key), bytes.subarray(0, 12));
          cipher.setAAD(Buffer.from(label));
          cipher.setAuthTag(bytes.subarray(-16));
          const parts = [cipher.update(bytes.subarray(12, -16)), cipher.final()];
          return { status: "opened", text: Buffer.concat(parts).toString("utf8") };
        } catch {
          continue;
        }
      return { status: "invalid" };
    },
  };
}
