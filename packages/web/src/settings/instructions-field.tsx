import { createSignal } from "solid-js";
import { Button } from "../shell/button.tsx";
import { useApp } from "../state/app-state.ts";
import { settingsTexts } from "../texts/settings.ts";

const texts = settingsTexts.general;

/** The user's instructions for all chats. */
export function InstructionsField() {
  const { preferences } = useApp();
  const [draft, setDraft] = createSignal<string | null>(null);
  const [isBusy, setBusy] = createSignal(false);
  const text = () => draft() ?? preferences.value().instructions;
  const isChanged = () => text() !== preferences.value().instructions;
  const save = async () => {
    setBusy(true);
    if (await preferences.change({ instructions: text() })) setDraft(null);
    setBusy(false);
  };
  return (
    <>
      <label class="setting-title" for="instructions">
        {texts.instructions}
      </label>
      <p class="setting-about">{texts.aboutInstructions}</p>
      <textarea
        id="instructions"
        class="field instructions"
        rows="4"
        maxlength="20000"
        value={text()}
        data-testid="instructions"
        onInput={(event) => setDraft(event.currentTarget.value)}
      />
      <div class="dialog-actions">
        <Button
          look="small primary"
          disabled={!isChanged() || isBusy()}
          data-testid="save-instructions"
          onClick={() => void save()}
        >
          {texts.save}
        </Button>
      </div>
    </>
  );
}
