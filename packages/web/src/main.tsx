import { render } from "solid-js/web";
import "./styles/shared.css";
import { pairFromAddress, pairingFailure } from "./api/pairing.ts";
import { tokenOfAddress } from "./sharing/share-link.ts";
import { App } from "./app/app.tsx";
import { showStoredLanguage } from "./state/preferences.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root to show the page in.");
const shared = tokenOfAddress(location.hash);
const language = showStoredLanguage();
if (shared === undefined)
  void Promise.all([pairFromAddress(), language]).then(() => render(() => <App />, root));
else
  void Promise.all([import("./sharing/shared-page.tsx"), language]).then(([{ SharedPage }]) =>
    render(() => <SharedPage token={shared} />, root),
  );
// The user opened a pairing link in a tab that already shows the page.
addEventListener("hashchange", () => {
  // The page of a link and the app replace each other.
  if (tokenOfAddress(location.hash) !== shared) return location.reload();
  void pairFromAddress().then((wasLink) => {
    if (wasLink && pairingFailure() === null) location.reload();
  });
});
