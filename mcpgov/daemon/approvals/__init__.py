"""Questions to a person, and the answers.

How the parts are wired (the proxy decides alone; the daemon only asks):

    proxy    a `prompt` verdict -> effect Ask: the request is parked; core.question.question_of() makes the question
      | link    {"ask": question}; a cancel, an end of the session, and what became of a yes come the same way
    daemon   question.question_from() -> lifecycle.Lifecycle.ask(): flood limits, a grant that holds already, equal
      |      questions joined; from then on every event is a method and every method returns effects (effects.py)
      |        Offer / Withdraw -> the rows of surfaces.table: app (elicitation), desktop, terminal, command, page
      |        RecordEntry      -> the journal, before anything else of the same list is performed
      |        GrantMade / GrantEnded -> grant_store, before the Answer that follows
      |        WriteRule        -> a child: `mcpgov approve ID --always`, front.always_rule
      | link    {"answer": number, verdict, text, grant}
    proxy    resume(number): policy, tool digest and arguments are judged anew, the grant is held against the call with
             core.grants.refusal(); forwarded or denied, and that goes back: granting.dispatched(), .refused()

`Lifecycle.due()` says when `tick()` is next wanted; with the connection of a proxy gone, `session_gone()`; before the
daemon ends, `close()`. Nothing that a server sends reaches any of these.
PURE: all but grant_store, surfaces.desktop and surfaces.table.

    visible      characters that act or hide, made visible; texts cut in the middle
    question     a question as the daemon knows it, read from the link
    choices      what a person may answer: terms and scopes, and what each surface may give
    time_limits  how long each client waits
    wording      the same words on every surface
    effects      what a transition leads to
    lifecycle    the transitions, in one file
    flood        how much a server may ask
    granting     what a yes makes, and what became of it
    waiting      one open question and the calls that hang on it
    records      the record of each transition
    grants       the grants that hold: found, used up, expired, revoked
    grant_store  the same on disk
    suggest      a rule after three equal yeses, held against the journal
    surfaces/    one file a surface, one row each in `table`
"""
