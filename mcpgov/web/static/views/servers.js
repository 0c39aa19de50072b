// Every server of every app: what it is, and why; with what runs of it now. Remote ones with their login.

import { fill, h, word } from "../parts/dom.js";
import { chip, command, empty, loading, quotedWords } from "../parts/components.js";
import { KeptParts } from "../parts/kept_parts.js";
import { foreign, visible } from "../parts/visible.js";
import { number, plural } from "../parts/words.js";
import { listen } from "../data/topics.js";

// state -> [what it is called, tone]
const STATES = {
  governed: ["governed", "allow"],
  native: ["unprotected", "deny"],
  contested: ["contested", "ask"],
  lost: ["lost", "ask"],
  disabled: ["switched off", "quiet"],
  error: ["error", "deny"],
};
const REMOTE = {
  up: ["connected", "allow"],
  down: ["unreachable", "deny"],
  login: ["wants a login", "ask"],
  unused: ["not used yet", "quiet"],
};

export function serversPanel() {
  const box = h("div.apps", loading(6));
  const root = h("section.card.servers", { "aria-label": "servers", tabindex: 0 }, h("h2", "Servers"), box);
  const parts = new KeptParts(); // only what differs is drawn again: an idle page does nothing
  const stop = listen("status", (status) => {
    fill(box, drawn(status, parts));
    parts.sweep();
  });
  return { root, close: stop };
}

function drawn(status, parts) {
  const apps = status.clients
    .map((client) => [client, status.servers.filter((server) => server.client === client.client)])
    .filter(([client, servers]) => servers.length || client.problem);
  if (!apps.length) return parts.get("none", "", none);
  return apps.map(([client, servers]) => {
    const name = client.client;
    const list = parts.get(`list ${name}`, "", () => h("ul.server-list"));
    const box = parts.get(`app ${name}`, client, () => h("div.app", appHead(client), list));
    fill(
      list,
      servers.map((server, at) => {
        const shown = facts(server, status);
        return parts.get(`${name} ${at} ${server.name}`, shown, () => serverLine(shown));
      }),
    );
    return box;
  });
}

const none = () =>
  empty(
    "Add the first one",
    "Add an MCP server to Claude, Cursor or another app as always: it is governed within a second and appears here.",
    command("mcpgov servers"),
  );

function appHead(client) {
  const whole = client.governed === client.servers;
  return [
    h(
      "h3.app-title",
      foreign(client.title),
      h(
        "span.app-count",
        { class: whole ? "" : "tone-ask" },
        client.servers ? `${client.governed} of ${client.servers} governed` : "",
      ),
    ),
    client.problem && h("p.app-problem", quotedWords(client.problem)),
  ];
}

// All that is shown of a server: what it is, what runs of it now, and where it is if it is a remote one.
function facts(server, status) {
  const isSame = (each) => each.server === server.name && each.client === server.client;
  const proxies = (status.proxies ?? []).filter(isSame);
  const remote = (status.remote ?? []).find(isSame);
  const sum = (key) => proxies.reduce((total, proxy) => total + (proxy[key] ?? 0), remote?.[key] ?? 0);
  const called = proxies.length > 0 || Boolean(remote?.calls);
  return { server, remote, traffic: called ? { calls: sum("calls"), denied: sum("denied") } : null };
}

function serverLine({ server, remote, traffic }) {
  const [name, tone] =
    server.reason_code === "excluded"
      ? ["left out by you", "quiet"]
      : (STATES[server.state] ?? [visible(server.state), "quiet"]);
  return h(
    "li.server",
    h(`span.dot.tone-${tone}`, { role: "img", "aria-label": name }),
    h(
      "div.server-name",
      h("span.server-title", foreign(server.name)),
      h(
        "p.server-sub",
        h(`span.tone-${tone === "allow" ? "quiet" : tone}`, name),
        server.reason ? [": ", quotedWords(server.reason)] : "",
      ),
    ),
    h(
      "p.server-traffic",
      traffic && h("span", plural(traffic.calls, "call")),
      traffic?.denied ? h("span.tone-deny", `${number(traffic.denied)} denied`) : null,
    ),
    server.restart && h("p.server-note", "restart the app: it still runs the server as it was"),
    remote && remoteLine(remote),
  );
}

function remoteLine(remote) {
  const [name, tone] = REMOTE[remote.state] ?? [visible(remote.state), "quiet"];
  return h(
    "div.server-note",
    h("p", chip(name, tone), " ", word(remote.upstream), remote.why ? [" ", foreign(remote.why)] : ""),
    remote.state === "login" && command(`mcpgov login ${remote.server}`),
  );
}
