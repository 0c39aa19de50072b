// One tool in full: what it says of itself, what changed, accept or keep out, another verdict.

import { h, word } from "../parts/dom.js";
import { failure, quotedWords, verdict } from "../parts/components.js";
import { diffView } from "../parts/diff_view.js";
import { visible } from "../parts/visible.js";
import { wouldWord } from "../parts/words.js";
import { change } from "../data/api.js";
import { isByPerson } from "../questions/answering.js";

const SAYS = {
  readOnlyHint: ["only reads", "changes things"],
  destructiveHint: ["may destroy", "destroys nothing"],
  idempotentHint: ["twice is as once", ""],
  openWorldHint: ["reaches out", "stays inside"],
};

// `writer` shows a rule before it is written, `said` what went wrong; both outlive this drawing of the tool.
export function toolFacts(server, tool, { writer, said, changed }) {
  const says = Object.entries(SAYS)
    .map(([hint, words]) => (tool.annotations?.[hint] === undefined ? "" : words[tool.annotations[hint] ? 0 : 1]))
    .filter(Boolean);
  return [
    tool.pin !== "accepted" && pinPanel(server, tool, { writer, said, changed }),
    h(
      "dl.facts",
      h("dt", "class"),
      h("dd", `${tool.operation}, by `, quotedWords(tool.operation_why ?? "its name")),
      h("dt", "says of itself"),
      h("dd", says.length ? says.join(", ") : h("span.faint", "nothing")),
      h("dt", "would be"),
      h(
        "dd",
        tool.possible?.length ? tool.possible.map((action) => [verdict(action, wouldWord(action)), " "]) : "\u2013",
        tool.verdict === "depends" && h("span.faint", "the arguments decide"),
      ),
    ),
    h(
      "div.buttons",
      h(
        "button",
        { type: "button", onclick: () => writer.preview({ server, tool: tool.tool, action: "allow" }) },
        "Always allow",
      ),
      h(
        "button",
        { type: "button", onclick: () => writer.preview({ server, tool: tool.tool, action: "deny" }) },
        "Always deny",
      ),
      h(
        "a.button",
        { href: `#policy/try/${encodeURIComponent(server)}/${encodeURIComponent(tool.tool)}` },
        "Try a call",
      ),
    ),
  ];
}

function pinPanel(server, tool, { writer, said, changed }) {
  const accept = async (event) => {
    if (!isByPerson(event)) return;
    try {
      await change("accept", { server, tool: tool.tool, digest: tool.digest });
      changed();
    } catch (error) {
      said.replaceChildren(failure(error));
    }
  };
  const what =
    tool.pin === "new" ? " has come up since this server was first seen." : " is not what you accepted before.";
  return h(
    "div.pin",
    h("p.pin-what", word(tool.tool), what, " Read what it says of itself now; the model reads it too."),
    tool.diff && diffView(tool.diff, `what changed in ${visible(tool.tool)}`),
    h(
      "div.buttons",
      h("button.yes", { type: "button", onclick: accept }, "Accept it as it is now"),
      h(
        "button.no",
        { type: "button", onclick: () => writer.preview({ server, tool: tool.tool, action: "deny" }) },
        "Keep it out",
      ),
    ),
    said,
  );
}
