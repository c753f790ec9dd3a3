export {
  createOfflineModel,
  offlineModelId,
  type OfflineModelOptions,
} from "./offline/offline-model.ts";
export { countTokens, loadTokenizer } from "./tokens/count-tokens.ts";
