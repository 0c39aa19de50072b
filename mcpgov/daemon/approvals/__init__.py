"""Questions to a person, and the answers.

How the parts are wired (the proxy decides alone; the daemon only asks):

    proxy    a `prompt` verdict -> effect Ask: the request is parked; core.question.question_of() makes the question
      | link    ask; a cancel, an end of the session, and what became of a yes come the same way (the wire: below)
    daemon   question.question_from() -> lifecycle.Lifecycle.ask(): flood limits, a grant that holds already, equal
      |      questions joined; from then on every event is a method and every method returns effects (effects.py)
      |        Offer / Withdraw -> the rows of surfaces.table: app (elicitation), desktop, terminal, command, page
      |        RecordEntry      -> the journal, before anything else of the same list is performed
      |        GrantMade / GrantEnded -> grant_store, before the Answer that follows
      | link    the answer to the ask: verdict, text, grant
    proxy    resume(number): policy, tool digest and arguments are judged anew, the grant is held against the call with
             core.grants.refusal(); forwarded or denied, and that goes back: granting.dispatched(), .refused()

The wire, one JSON line each (daemon/control/link_calls, live/daemon_calls); every call of a proxy has an `id` and one
answer, `{"id", "ok": true, …}` or `{"id", "ok": false, "error"}`:

    proxy -> daemon
      ask         {question, version, brought}   question: core.approvals.question.question_of(); version: the client's
                  protocol version, for the form of an elicitation; brought: null or {number, word}, the answer that a
                  repeated request carries (2026-07-28), word one of once, session, deny.
                  Answered later, once: {verdict: "allow" | "deny" | "parked", answer, reason_code, text, grant}, the
                  fields of effects.Answer (grant: Grant.as_data() or null). `ok: false` is a denial, unreachable.
      cancel      (of LinkCalls, by the `id` of the ask) the call is withdrawn: cancelled, its client or server gone,
                  answered by the proxy's own clock; lifecycle.cancel(). The ask gets no answer.
      app         {number, word, why}   what the app answered: word once, session or deny -> lifecycle.answer(…, "app");
                  "": nothing that counts (`why`: cancelled, an error, no content) -> lifecycle.surface_failed(…, "app")
      parked      {number}   the call was ended by asking inside its result -> lifecycle.parked(); its ask is answered
                  with verdict "parked", which means nothing to the proxy
      dispatched  {number}   what became of a yes -> granting.dispatched()
      refused     {number, why}   -> granting.refused()
    daemon -> proxy, unasked (proxy_links.Links.push), only while the ask is open
      waits       {number, wait}     after `ask`: how many seconds the question waits, from now. The proxy denies by
                  itself (GRACE seconds later) if no answer comes. Not sent where the answer comes at once.
      elicit      {number, params}   ask in the app: surfaces.elicitation.params(). Sent only if question.app is not ""
                  and the app surface is offered; `request` or `result` is the proxy's matter. The answer to the ask
                  takes the question away from the app.

A `number` counts only from the link whose `session` it begins with. A lost link answers every open ask of the proxy:
denied, unreachable; for the daemon it is session_gone(). Before it ends, the daemon answers every ask (close()).
`mcpgov lock` writes `lock.json` into the state directory (places): {"since": seconds, "by": text}; while the file is
there every proxy denies every governed call, whatever is in it (kind "locked").

`Lifecycle.due()` says when `tick()` is next wanted; with the connection of a proxy gone, `session_gone()`; before the
daemon ends, `close()`. Nothing that a server sends reaches any of these.
PURE: all but grant_store, surfaces.desktop, surfaces.table, and runtime/.

Who reaches anybody: the app where the question says so, a desktop with actions, and the terminal while somebody watches
who can answer (`watch_questions`). With none of them the call is denied at once. `mcpgov approve ID` answers a question
that waits elsewhere, and for ten minutes one that nobody answered: that makes a one-use grant for the next try. A rule
(`--always`) is written by the command, which then answers: the daemon never writes a policy.

    visible      characters that act or hide, made visible; texts cut in the middle
    question     a question as the daemon knows it, read from the link
    choices      what a person may answer: terms and scopes, and what each surface may give
    time_limits  how long each client waits
    wording      the same words on every surface
    effects      what a transition leads to
    lifecycle    the transitions, in one file
    flood        how much a server may ask
    habits       equal yeses in a row: what a rule is offered for
    granting     what a yes makes, and what became of it
    waiting      one open question and the calls that hang on it
    records      the record of each transition
    grants       the grants that hold: found, used up, expired, revoked
    grant_store  the same on disk
    suggest      a rule after three equal yeses, held against the journal
    runtime/     the same in a running daemon: effects performed, links, control requests, the lock
    surfaces/    one file a surface, one row each in `table`
"""
