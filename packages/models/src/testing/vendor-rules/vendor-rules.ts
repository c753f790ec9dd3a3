import type { ProviderForm } from "../provider-forms.ts";
import { anthropicRules } from "./anthropic-rules.ts";
import { compatibleRules, openaiChatRules } from "./chat-rules.ts";
import { geminiRules, olderGeminiRules } from "./gemini-rules.ts";
import { responsesRules } from "./responses-rules.ts";
import type { VendorRules } from "./rule-checks.ts";

/** The checks of each form's vendor for requests. */
export const vendorRules: { readonly [form in ProviderForm]: VendorRules } = {
  "openai-responses": responsesRules,
  "openai-chat": openaiChatRules,
  "openai-compatible": compatibleRules,
  anthropic: anthropicRules,
  google: geminiRules,
  "google-older": olderGeminiRules,
};
