import { createResource, createSignal, onCleanup, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { shellTexts } from "../texts/shell.ts";
import { Button } from "./button.tsx";
import { saveFile } from "./save-file.ts";

/** A picture that the server stores as a file. Its bytes are loaded when it is shown. */
export function StoredPicture(props: {
  readonly fileId: string;
  /** The alternative text of the image. */
  readonly label: string;
}) {
  const stop = new AbortController();
  onCleanup(() => stop.abort());
  const [address] = createResource(
    () => props.fileId,
    async (id) => {
      const made = URL.createObjectURL(await client.fileContent(id, stop.signal));
      stop.signal.addEventListener("abort", () => URL.revokeObjectURL(made));
      return made;
    },
  );
  const failure = () => (address.error === undefined ? null : messageOf(address.error));
  return (
    <Show
      when={failure()}
      fallback={
        <Show when={address()}>{(source) => <img src={source()} alt={props.label} />}</Show>
      }
    >
      {(reason) => <span class="part-name">{shellTexts.noPicture(reason())}</span>}
    </Show>
  );
}

/** A button that downloads a file which the server stores. */
export function StoredFile(props: { readonly fileId: string; readonly name: string }) {
  const [failure, setFailure] = createSignal<string | null>(null);
  const [isLoading, setLoading] = createSignal(false);
  const download = async () => {
    setLoading(true);
    setFailure(null);
    try {
      saveFile(props.name, await client.fileContent(props.fileId));
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setLoading(false);
    }
  };
  return (
    <>
      <Button
        look="small"
        disabled={isLoading()}
        data-testid="download-file"
        onClick={() => void download()}
      >
        {shellTexts.download(props.name)}
      </Button>
      <Show when={failure()}>{(reason) => <span class="part-name">{reason()}</span>}</Show>
    </>
  );
}
