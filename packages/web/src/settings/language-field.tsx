import { For } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { languages } from "../texts/languages/languages.ts";
import { settingsTexts } from "../texts/settings.ts";

const texts = settingsTexts.general;

/** The choice of the page's language. Each language is named in that language. */
export function LanguageField() {
  const { language } = useApp();
  return (
    <>
      <label class="setting-title" for="language">
        {texts.language}
      </label>
      <select
        id="language"
        class="select"
        data-testid="language"
        onChange={(event) => {
          const select = event.currentTarget;
          // If the texts cannot be loaded, the page keeps its language.
          void language
            .choose(select.value || null)
            .then(() => (select.value = language.chosen() ?? ""));
        }}
      >
        <option value="" selected={language.chosen() === null}>
          {texts.systemLanguage}
        </option>
        <For each={languages}>
          {({ tag, name }) => (
            <option value={tag} lang={tag} selected={language.chosen() === tag}>
              {name}
            </option>
          )}
        </For>
      </select>
    </>
  );
}
