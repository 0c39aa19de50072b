// What stands across the page when something about the page itself is wrong: the service away, the daemon gone, the
// session over. It overlays, so that nothing moves.

import { fill, h } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { command } from "../parts/components.js";
import { roughTime } from "../parts/words.js";
import { known, listen } from "../data/topics.js";

export function banner() {
  const root = h("div.banner", { role: "status", "aria-live": "assertive", hidden: true });
  let shown = "";
  let back = 0;
  const draw = () => {
    const found = whatIsWrong();
    const now = found?.[0] ?? "";
    if (!found && shown && shown !== "ended") {
      shown = "";
      root.hidden = false;
      root.className = "banner tone-allow";
      fill(root, icon("allow"), h("p", "Connected again. What happened meanwhile is in the list."));
      clearTimeout(back);
      back = setTimeout(() => (root.hidden = shown === ""), 4000);
      return;
    }
    if (now === shown) return;
    shown = now;
    clearTimeout(back);
    root.hidden = !found;
    if (!found) return;
    root.className = `banner tone-${found[1]}`;
    fill(root, icon("warn"), found[2]);
  };
  listen("link", draw);
  listen("daemon", draw);
  return root;
}

function whatIsWrong() {
  const link = known("link");
  const daemon = known("daemon");
  if (link?.state === "ended")
    return [
      "ended",
      "deny",
      h("p", "This page\u2019s session has ended. Type ", command("mcpgov open"), " in a terminal to go on."),
    ];
  if (link?.state === "away" && Date.now() - link.since >= 0) {
    return [
      "away",
      "ask",
      h(
        "p",
        "The page has lost mcpgov and tries again by itself. What you see is how it was. If it stays away, type ",
        command("mcpgov open"),
      ),
    ];
  }
  if (daemon?.state === "down") {
    const since = daemon.since ? ` for ${roughTime(Date.now() / 1000 - daemon.since)}` : "";
    return [
      "down",
      "ask",
      h(
        "p",
        `The daemon is gone${since}. Servers stay governed; nobody can be asked. The page reconnects by itself; or type `,
        command("mcpgov daemon start"),
      ),
    ];
  }
  return null;
}
