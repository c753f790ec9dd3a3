import { render } from "solid-js/web";
import "./styles/shared.css";
import { pairFromAddress, pairingFailure } from "./api/pairing.ts";
import { App } from "./app/app.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root to show the page in.");
void pairFromAddress().then(() => render(() => <App />, root));
// The user opened a pairing link in a tab that already shows the page.
addEventListener("hashchange", () => {
  void pairFromAddress().then((wasLink) => {
    if (wasLink && pairingFailure() === null) location.reload();
  });
});
