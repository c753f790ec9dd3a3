import { render } from "solid-js/web";
import "./styles/shared.css";
import { pairFromAddress, pairingFailure } from "./api/pairing.ts";
import { tokenOfAddress } from "./sharing/share-link.ts";
import { App } from "./app/app.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root to show the page in.");
const shared = tokenOfAddress(location.hash);
if (shared === undefined) void pairFromAddress().then(() => render(() => <App />, root));
else
  void import("./sharing/shared-page.tsx").then(({ SharedPage }) =>
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
