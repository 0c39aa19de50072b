// One tool in full: what it says of itself, what changed, accept or keep out, another verdict.

import { h, word } from "../parts/dom.js";
import { chip, failure, quotedWords, verdict } from "../parts/components.js";
import { diffView } from "../parts/diff_view.js";
import { foreign, visible } from "../parts/visible.js";
import { change } from "../data/api.js";
import { isByPerson } from "../questions/answering.js";
import { VERDICTS, verdictText } from "./tool_classes.js";

const SAYS = {
  readOnlyHint: ["only reads", "changes things"],
  destructiveHint: ["may destroy", "destroys nothing"],
  idempotentHint: ["twice is as once", ""],
  openWorldHint: ["reaches out", "stays inside"],
};

// `writer` shows a rule before it is written, `keeper` the one that keeps the tool out, `said` what went wrong; all
// outlive this drawing of the tool.
export function toolFacts(server, tool, { writer, keeper, said, changed }) {
  const says = Object.entries(SAYS)
    .map(([hint, words]) => (tool.annotations?.[hint] === undefined ? "" : words[tool.annotations[hint] ? 0 : 1]))
    .filter(Boolean);
  return [
    tool.pin !== "accepted" && pinPanel(server, tool, { keeper, said, changed }),
    h(
      "dl.facts",
      h("dt", "class"),
      h("dd", `${tool.operation}, by `, quotedWords(tool.operation_why ?? "its name")),
      h("dt", "says of itself"),
      h("dd", says.length ? says.join(", ") : h("span.faint", "nothing")),
      h("dt", "would be"),
      h(
        "dd",
        tool.possible?.length ? verdict(tool.possible[0], verdictText(tool)) : "\u2013",
        tool.kept_out_by && [" by rule ", word(tool.kept_out_by)],
      ),
    ),
    tool.pin === "accepted" && tool.definition?.length > 0 && definition(tool),
    h(
      "div.buttons",
      VERDICTS.map((action) =>
        h(
          "button",
          { type: "button", onclick: () => writer.preview({ server, tool: tool.tool, action }) },
          `Always ${action}`,
        ),
      ),
      h(
        "a.button",
        { href: `#policy/try/${encodeURIComponent(server)}/${encodeURIComponent(tool.tool)}` },
        "Try a call",
      ),
    ),
  ];
}

const definition = (tool) =>
  h(
    "details.tool-definition",
    h("summary", "What it says of itself: description and arguments"),
    h(
      "pre.tool-said",
      { tabindex: 0, role: "group", "aria-label": `definition of ${visible(tool.tool)}` },
      foreign(tool.definition.join("\n"), { lines: true }),
    ),
  );

function pinPanel(server, tool, { keeper, said, changed }) {
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
  const rule = tool.kept_out_by;
  return h(
    "div.pin",
    rule && h("p.pin-kept", chip("kept out", "deny"), " by rule ", word(rule), ": no call of it reaches the server."),
    h("p.pin-what", word(tool.tool), what, " Read what it says of itself now; the model reads it too."),
    tool.diff && diffView(tool.diff, `what changed in ${visible(tool.tool)}`),
    h(
      "div.buttons",
      h("button.yes", { type: "button", onclick: accept }, "Accept it as it is now"),
      rule
        ? h("a.button", { href: `#policy/edit/without/${encodeURIComponent(rule)}` }, "Undo: take the rule out\u2026")
        : h(
            "button.no",
            { type: "button", onclick: () => keeper.preview({ server, tool: tool.tool, action: "deny" }) },
            "Keep it out",
          ),
    ),
    keeper.root,
    said,
  );
}
