/** The models of providers, and the offline model. */
export { createOfflineModel, type OfflineModelOptions } from "./offline/offline-model.ts";
export { visionModel } from "./providers/configured-providers.ts";
export { createModelCatalog, type ModelCatalogOptions } from "./providers/model-catalog.ts";
export { countTokens, countTokensIfLoaded, loadTokenizer } from "./tokens/count-tokens.ts";
