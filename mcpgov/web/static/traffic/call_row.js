// One call as a line of the list, and what is below it once it is open.

import { h, word } from "../parts/dom.js";
import { clipped } from "../parts/clipped.js";
import { chip, command, failure, loading, hintWords, verdict } from "../parts/components.js";
import { foreign, shortPath, visible } from "../parts/visible.js";
import { clock, moment, duration, verdictWord } from "../parts/words.js";
import { read } from "../data/api.js";
import { appName } from "../data/apps.js";
import { jsonView, oneLine } from "../parts/json_view.js";

const OUTCOMES = {
  allowed: "allowed by you",
  refused: "refused by you",
  timeout: "nobody answered",
  unreachable: "nobody to ask",
  withdrawn: "withdrawn",
  waiting: "waiting",
};

// What was asked: the tool, else the prompt, the resource or the method.
export const subject = (call) => call.tool ?? call.prompt ?? call.uris?.[0] ?? call.method ?? "";

function outcomeWord(call) {
  if (call.action !== "prompt") return verdictWord(call.action);
  return call.outcome ? (OUTCOMES[call.outcome] ?? call.outcome) : "waiting";
}

// The tone of a held call is that of its end.
export function shownAction(call) {
  if (call.action !== "prompt" || !call.outcome) return call.action;
  return call.outcome === "allowed" ? "allow" : "deny";
}

export function callLine(call) {
  return [
    h("time.row-time", { datetime: new Date(call.time * 1000).toISOString() }, clock(call.time)),
    h("span.row-verdict", verdict(shownAction(call), call.type === "note" ? visible(call.action) : outcomeWord(call))),
    h(
      "span.row-what",
      h("span.row-server", foreign(call.server || "mcpgov")),
      h("span.row-slash", { "aria-hidden": "true" }, "/"),
      h("span.row-tool", foreign(subject(call))),
    ),
    h("span.row-args", call.args ? oneLine(call.args) : call.why ? foreign(call.why) : ""),
    h(
      "span.row-rule",
      call.rule ? foreign(call.rule) : call.kind === "pin" ? "pin" : call.type === "call" ? "default" : "",
    ),
    h("span.row-us", duration(call.us)),
    call.error ? h("span.hidden", ", the server answered with an error") : null,
  ];
}

// The call in full: at once what the stream told, then the whole reasoning from the record. `before`: as it was drawn
// before more was known: the reasons stay until there are others, and its arguments are the same.
export function callDetail(call, before = null) {
  const reasons = before?.querySelector(".why") ?? h("div.why", call.type === "call" ? loading(2) : "");
  if (call.type === "call") explain(call, reasons);
  return h(
    "div.detail",
    h(
      "div.detail-main",
      h(
        "p.detail-head",
        verdict(shownAction(call), outcomeWord(call)),
        " ",
        word(subject(call)),
        " on ",
        word(call.server || "mcpgov"),
        call.operation && chip(call.operation, "quiet", "what the tool does"),
      ),
      h(
        "dl.facts",
        fact("when", moment(call.time)),
        fact("app", call.client ? foreign(appName(call.client)) : "unknown"),
        call.project && fact("project", foreign(shortPath(call.project))),
        fact("decided by", call.rule ? word(call.rule) : call.why ? foreign(call.why) : "the default: no rule matched"),
        call.us !== null && fact("time added", duration(call.us)),
        call.round_trip_us
          ? fact("server took", `${duration(call.round_trip_us)}${call.error ? ", and answered with an error" : ""}`)
          : null,
        call.masked?.length ? fact("masked", foreign(call.masked.join(", "))) : null,
      ),
      reasons,
    ),
    before?.querySelector(".detail-args") ?? callArgs(call),
  );
}

const callArgs = (call) =>
  h(
    "div.detail-args",
    h("h3.label", "arguments"),
    call.args ? clipped("arguments", jsonView(call.args)) : h("p.faint", "none on record"),
  );

const value = (text) => h("code.word", foreign(text, { ends: true }));

const fact = (name, ...value) => [h("dt", name), h("dd", value)];

async function explain(call, box) {
  try {
    const found = await read("why", { decision: call.id });
    box.replaceChildren(...reasons(call, found));
  } catch (error) {
    box.replaceChildren(failure(error));
  }
}

function reasons(call, found) {
  const now = found.now;
  const out = [];
  const decisive =
    now?.trace?.find((step) => step.matched && step.rule === call.rule) ?? now?.trace?.find((step) => step.matched);
  if (now?.message) out.push(h("p.why-said", foreign(now.message)));
  if (decisive) out.push(h("p.why-step", "rule ", word(decisive.rule), h("span.faint", ` at ${shortPlace(decisive)}`)));
  if (now && found.same_policy === false) out.push(h("p.why-step", "by the policy of now: ", verdict(now.action)));
  const also = (now?.readings ?? [])
    .map((each) => ({ read: each.value, others: each.readings.filter((form) => form !== each.value) }))
    .filter(({ others }) => others.length);
  if (also.length)
    out.push(
      h("h3.label", "also read as"),
      h(
        "ul.readings",
        also.map(({ read, others }) =>
          h(
            "li",
            value(read),
            " \u2192 ",
            others.slice(0, 6).map((form) => [value(shortPath(form)), " "]),
          ),
        ),
      ),
    );
  if (found.story?.length > 1)
    out.push(
      h("h3.label", "what happened"),
      h(
        "ol.story",
        found.story.map((event) => h("li", storyLine(call, event))),
      ),
    );
  if (found.remark) out.push(h("p.faint", foreign(found.remark)));
  if (found.allow) out.push(h("p.why-allow", "to let such calls pass: ", hintWords(found.allow)));
  out.push(h("p.why-again", h("span.faint", "again in a terminal: "), command(`mcpgov why ${call.id}`)));
  return out;
}

const shortPlace = (step) =>
  visible(
    `${String(step.source ?? "")
      .split("/")
      .at(-1)}${step.line ? `:${step.line}` : ""}`,
  );

function storyLine(call, event) {
  const after = event.time ? `+${Math.max(0, event.time - call.time).toFixed(1)} s ` : "";
  return [h("span.faint", after), foreign(event.action ?? ""), event.surface ? ` (${visible(event.surface)})` : ""];
}
