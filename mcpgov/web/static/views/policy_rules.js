// The compiled rules in order: what each wants, what it does, how often it decided in the last seven days.

import { fill, h, word } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { chip, empty, failure, loading, notice, quotedWords, hintWords, verdict } from "../parts/components.js";
import { KeptParts } from "../parts/kept_parts.js";
import { foreign, visible } from "../parts/visible.js";
import { ago, number, wouldWord } from "../parts/words.js";
import { bar } from "../charts/bar.js";
import { read } from "../data/api.js";
import { repeatedRead } from "../data/repeated_read.js";
import { listen } from "../data/topics.js";

export class PolicyRules {
  constructor() {
    this._parts = new KeptParts();
    this.trouble = h("div");
    this.list = h("div", loading(8));
    this.root = h("div.stack", this.trouble, this.list);
    this._hits = null; // they are counted from the record, which takes longer
    this._load = repeatedRead(
      () => read("policy"),
      (policy) => this._show(policy),
      (error) => this._failed(error),
    );
    this._count = repeatedRead(
      () => read("policy/hits"),
      (hits) => this._show(this._policy, hits),
      (error) => this._failed(error, this._count),
    );
    this._stop = listen("policy", () => {
      this._load();
      this._count();
    });
    this._load();
    this._count();
  }

  close() {
    this._stop();
  }

  // What is shown stays.
  _failed(error, again = this._load) {
    if (!this._policy) fill(this.list);
    fill(this.trouble, failure(error, again));
  }

  _show(policy, hits = this._hits) {
    [this._policy, this._hits] = [policy, hits];
    if (!policy) return;
    fill(this.trouble, policy.error && this._parts.get("error", policy.error, () => wrong(policy.error)));
    fill(this.list, policy.show && this._parts.get("rules", [policy, hits], () => ruleList(policy, hits)));
    this._parts.sweep();
  }
}

const wrong = (error) =>
  notice(
    "deny",
    quotedWords(error.message),
    error.hint && h("p", hintWords(error.hint)),
    h("p", h("a.button", { href: "#policy/edit" }, "Correct it")),
  );

function ruleList({ show, file }, hits) {
  const counted = (rule) => hits?.rules?.[rule.rule ?? rule.id];
  const most = Math.max(1, hits?.default?.calls ?? 0, ...show.rules.map((rule) => counted(rule)?.calls ?? 0));
  const warnings = show.warnings ?? [];
  return h(
    "div.stack",
    warnings.length > 0 &&
      h(
        "div.notices",
        warnings.map((warning) =>
          notice(
            "ask",
            [quotedWords(warning.message), h("span.faint", ` ${place(warning.source, warning.line, file)}`)],
            warning.hint && h("p", hintWords(warning.hint)),
          ),
        ),
      ),
    h(
      "section.card.rules-card",
      h(
        "ol.rules",
        show.protect?.length
          ? h(
              "li.rule.built-in",
              h("span.rule-number", icon("lock")),
              h(
                "div.rule-body",
                h("p.rule-name", "Built-in protection"),
                h(
                  "p.rule-wants",
                  `${number(show.protect.length)} places: no tool changes mcpgov\u2019s own files or your apps\u2019 configs`,
                ),
              ),
              verdict("deny", "deny"),
              h("div.rule-hits"),
            )
          : null,
        show.rules.map((rule, at) => oneRule(rule, at + 1, counted(rule), most, hits, file)),
        h(
          "li.rule.default",
          h("span.rule-number", "\u2026"),
          h("div.rule-body", h("p.rule-name", "Default"), h("p.rule-wants", "what no rule matches")),
          verdict(show.default, wouldWord(show.default)),
          hitBox(hits?.default, most, hits),
        ),
      ),
      !show.rules.length &&
        empty(
          "No rules",
          "Everything is decided by the default.",
          h("a.button", { href: "#policy/edit" }, "Write a rule"),
        ),
      h(
        "p.faint.rules-foot",
        "revision ",
        word(show.revision),
        " \u00b7 calls are counted over the last seven days",
      ),
    ),
  );
}

function oneRule(rule, at, hit, most, hits, file) {
  const name = rule.rule ?? rule.id;
  return h(
    `li.rule${rule.enabled === false ? ".off" : ""}`,
    h("span.rule-number", at),
    h(
      "div.rule-body",
      h(
        "p.rule-name",
        foreign(name),
        rule.enabled === false && chip("off", "quiet"),
        rule.shadowed && chip("shadowed", "ask", "an earlier rule decides everything this one could"),
        rule.expires && chip(`until ${visible(rule.expires)}`, "log"),
      ),
      h("p.rule-wants", wants(rule.matchers)),
      (rule.description || rule.message) && h("p.rule-said", foreign(rule.description || rule.message)),
      h("p.rule-place", place(rule.source, rule.line, file)),
    ),
    verdict(rule.action, wouldWord(rule.action)),
    hitBox(hit, most, hits),
  );
}

// The matchers in words of the policy file: tool is delete_* and server is github.
function wants(matchers) {
  const out = [];
  for (const [name, values] of flat(matchers ?? {})) {
    out.push(
      h(
        "span.want",
        h("span.want-name", foreign(name)),
        values.slice(0, 6).map((each) => word(typeof each === "string" ? each : JSON.stringify(each))),
        values.length > 6 ? h("span.faint", ` and ${values.length - 6} more`) : null,
      ),
    );
  }
  return out;
}

// Arguments are told as [[path of keys, patterns], …]; the methods of a class of tools are always the same.
function flat(matchers) {
  return Object.entries(matchers).flatMap(([name, value]) => {
    if (name === "args" && Array.isArray(value))
      return value.map(([keys, patterns]) => [`args.${[keys].flat().join(".")}`, [patterns].flat()]);
    return name === "method" && matchers.operation ? [] : [[name, [value].flat()]];
  });
}

const place = (source, line, file) =>
  visible(
    `${
      source === file
        ? "policy.toml"
        : String(source ?? "")
            .split("/")
            .at(-1)
    }${line ? `:${line}` : ""}`,
  );

function hitBox(hit, most, hits) {
  if (!hits) return h("div.rule-hits", { "aria-busy": "true" }, h("span.never", "counting\u2026"));
  if (!hit?.calls) return h("div.rule-hits", h("span.never", `not hit in ${hits.days} days`));
  const told = `${number(hit.calls)} ${hit.calls === 1 ? "call" : "calls"}`;
  return h(
    "div.rule-hits",
    h("span.hit-count", told, h("span.faint", ago(Date.now() / 1000 - hit.last))),
    bar(hit.calls, most, { warn: 2, label: `${told} in ${hits.days} days` }),
  );
}
