import { render } from "solid-js/web";
import "./styles/shared.css";
import { App } from "./app/app.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root to show the page in.");
render(() => <App />, root);
