import { For, Match, Show, Switch } from "solid-js";
import type { CallResult } from "../run/run-event.ts";
import { shellTexts } from "../texts/shell.ts";
import { StoredFile, StoredPicture } from "./stored-file.tsx";

type ContentPart = NonNullable<CallResult["parts"]>[number];

/**
 * Pictures, files and links that a tool returned. External ones are linked, never loaded. Omits
 * texts, because the text of the result contains them.
 */
export function ContentParts(props: {
  readonly parts: readonly ContentPart[];
  /** The name of the tool, for images without a name. */
  readonly tool: string;
}) {
  return (
    <div class="content-parts flow">
      <For each={props.parts.filter(({ type }) => type !== "text")}>
        {(part) => <ContentPartView part={part} tool={props.tool} />}
      </For>
    </div>
  );
}

const picture = /^image\/(png|jpeg|gif|webp)$/;

function ContentPartView(props: { readonly part: ContentPart; readonly tool: string }) {
  const embedded = () => {
    const { part } = props;
    if (part.type !== "image" || part.source.type !== "base64" || !picture.test(part.mimeType))
      return null;
    return `data:${part.mimeType};base64,${part.source.data}`;
  };
  const stored = () => {
    const { part } = props;
    if ((part.type !== "image" && part.type !== "file") || part.source.type !== "blob") return null;
    const { fileId, mimeType } = part;
    if (fileId === undefined) return null;
    const isPicture = part.type === "image" && picture.test(mimeType);
    const name =
      part.name ?? `${props.tool}.${mimeType.replace(/^.*\//, "").replace("jpeg", "jpg")}`;
    return { fileId, isPicture, name };
  };
  const address = () => {
    const { part } = props;
    if (part.type === "link") return part.url;
    if (part.type === "text" || part.source.type !== "url") return null;
    return part.source.url;
  };
  const name = () => {
    const { part } = props;
    if (part.type === "file") return part.name;
    return part.type === "link" ? (part.title ?? part.url) : part.type;
  };
  const label = () =>
    (props.part.type === "image" ? props.part.alt : undefined) ?? shellTexts.pictureOf(props.tool);
  const safeAddress = () => (/^https?:/i.test(address() ?? "") ? address() : null);

  return (
    <Switch fallback={<span class="part-name">{name()}</span>}>
      <Match when={embedded()}>{(source) => <img src={source()} alt={label()} />}</Match>
      <Match when={stored()}>
        {(file) => (
          <>
            <Show when={file().isPicture}>
              <StoredPicture fileId={file().fileId} label={label()} />
            </Show>
            <StoredFile fileId={file().fileId} name={file().name} />
          </>
        )}
      </Match>
      <Match when={safeAddress()}>
        {(url) => (
          <a href={url()} target="_blank" rel="noopener noreferrer">
            {name()}
          </a>
        )}
      </Match>
    </Switch>
  );
}
