export {
  createOfflineModel,
  offlineModelId,
  type OfflineModelOptions,
} from "./offline/offline-model.ts";
export type { Environment } from "./providers/configured-providers.ts";
export { createModelCatalog, type ModelCatalogOptions } from "./providers/model-catalog.ts";
export { countTokens, loadTokenizer } from "./tokens/count-tokens.ts";
