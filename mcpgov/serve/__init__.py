"""Our own MCP server: agents and other servers ask it before they act, and tell it what they did.

    http_gate, http_server                HTTP: who is let in, and the listener
    sdk_server                            the official SDK: both eras, four tools
    messages/                             lines on stdio; what leaves is plain; the end waits for it
    answers                               what each tool answers
    intent, verdicts, risks, policy_view  one planned action against the rules in force; pure
    tools, arguments                      schemas, checked arguments; pure
    stdio_limits                          calls a minute, as the daemon counts them
    current_policy, current_reveal        the compiled policy, as proxies load it; what of it may be told
    daemon_requests                       questions and records: control requests to the daemon

Laws: nothing that can be called here loosens the policy. Deciding has no side effects: no budget, no limit, no record.
"""
