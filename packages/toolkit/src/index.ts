/** The tool groups that ship with Capstan. */
export type { ConvertedDocument } from "./documents/convert-bytes.ts";
export {
  convertDocument,
  type DocumentInput,
  isConvertible,
} from "./documents/convert-document.ts";
export { chartTools } from "./charts/chart-tools.ts";
export { findCjkFont } from "./charts/find-cjk-font.ts";
export { basicTools, type BasicToolsOptions } from "./basic/basic-tools.ts";
export { dataTools } from "./data/data-tools.ts";
export { editTools } from "./edit/edit-tools.ts";
export type { EditToolsOptions } from "./edit/change/open-target.ts";
export { type FileToolsOptions } from "./files/file-roots.ts";
export { fileTools } from "./files/file-tools.ts";
export { knowledgeTools, type KnowledgeToolsOptions } from "./knowledge/knowledge-tools.ts";
export { mediaTools, type MediaToolsOptions } from "./media/media-tools.ts";
export type { MediaService } from "./media/media-service.ts";
export { linearPatterns } from "./text/linear-patterns.ts";
export { SkillCatalog } from "./skills/skill-catalog.ts";
export { skillTools, type SkillToolsOptions } from "./skills/skill-tools.ts";
export type { SiyuanToolsOptions } from "./siyuan/siyuan-options.ts";
export { siyuanTools } from "./siyuan/siyuan-tools.ts";
export { documentText } from "./retrieval/document-text.ts";
export { indexWords } from "./retrieval/index-words.ts";
export { rankParts } from "./retrieval/rank-parts.ts";
export { retrievalTools, type RetrievalToolsOptions } from "./retrieval/retrieval-tools.ts";
export { splitText } from "./retrieval/split-text.ts";
export type { StoredDocuments } from "./retrieval/stored-documents.ts";
export { todoTools } from "./todo/todo-tools.ts";
export { variableTools } from "./vars/variable-tools.ts";
export { searchKeyVariable, type WebSearchOptions } from "./search/search-options.ts";
export { type SearchService, searchServices } from "./search/providers/search-provider.ts";
export { webTools, type WebToolsOptions } from "./web/web-tools.ts";
