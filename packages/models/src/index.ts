/** The models of providers, and the offline model. */
export { createOfflineModel, type OfflineModelOptions } from "./offline/offline-model.ts";
export { knownProvider, providerIds, visionModel } from "./providers/configured-providers.ts";
export { createCurrentCatalog, type CurrentCatalog } from "./providers/current-catalog.ts";
export { type ProviderTry, tryProvider } from "./providers/try-provider.ts";
export { createModelCatalog, type ModelCatalogOptions } from "./providers/model-catalog.ts";
export { countTokens, countTokensIfLoaded, loadTokenizer } from "./tokens/count-tokens.ts";
