import type { ToolGroup } from "@capstan/core";
import type { Configuration } from "../configuration/configuration.ts";
import { isOnByDefault } from "./built-in-groups.ts";

/** The built-in tool of each hosted type, as `group.Tool`. */
const toolOfType: Configuration["hostedTools"] = {
  code_interpreter: "code.Python",
  image_generation: "media.GenerateImage",
  web_search: "web.WebSearch",
  file_search: "retrieval.SearchDocuments",
};

/** The built-in hidden tools for files that a model does not take. */
const toolsOfFiles: Configuration["attachmentTools"] = {
  document: ["retrieval.ReadDocuments", "retrieval.SearchDocuments"],
  audio: ["media.TranscribeAudio"],
  image: ["media.DescribeImage"],
};

/**
 * Returns the built-in tools that are bound to hosted types, unless the configuration binds others.
 * Includes only available tools whose group is on.
 */
export function ownHostedTools(
  shipped: readonly ToolGroup[],
  configuration: Pick<Configuration, "groups">,
): Configuration["hostedTools"] {
  const usable = usableTools(shipped, configuration);
  return Object.fromEntries(Object.entries(toolOfType).filter(([, id]) => usable.has(id)));
}

/** Returns the built-in hidden tools for files, unless the configuration names others. */
export function ownAttachmentTools(
  shipped: readonly ToolGroup[],
  configuration: Pick<Configuration, "groups">,
): Configuration["attachmentTools"] {
  const usable = usableTools(shipped, configuration);
  return Object.fromEntries(
    Object.entries(toolsOfFiles)
      .map(([kind, ids]) => [kind, ids.filter((id) => usable.has(id))] as const)
      .filter(([, ids]) => ids.length > 0),
  );
}

/** Returns the ids of the available tools whose group is on. */
function usableTools(
  shipped: readonly ToolGroup[],
  configuration: Pick<Configuration, "groups">,
): ReadonlySet<string> {
  return new Set(
    shipped
      .filter(({ name }) => configuration.groups[name] ?? isOnByDefault(name))
      .flatMap(({ name, tools }) =>
        tools
          .filter(({ unavailable }) => unavailable === undefined)
          .map(({ definition }) => `${name}.${definition.function.name}`),
      ),
  );
}
