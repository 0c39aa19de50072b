"""Phrases of instruction-like text in English: somebody speaks to the model. As data.

One phrase a line; a line with `+` goes on. A blank stands for anything but letters and the end of a sentence, `<3>` for
up to three words, a name in braces for a row of `phrase_words`. The first line of a kind is its weight: how likely a
text is an injection that shows nothing else; `instructions` combines kinds.
"""

from __future__ import annotations

from mcpgov.guards.signals.phrase_words import WORDS, kinds_in

ORDERS = kinds_in(
    {
        "override": r"""
            0.72
            {DROP} (?:all |any |your |every |the ){0,2}(?:safety|ethical|ethics|content|topic
            + |moral) (?:\w+ )?(?:guidelines
            + |settings|rules|restrictions|measures|protocols|polic\w+|filters?|instructions)
            {DROP} (?:what|whatever|anything|everything) (?:the )?(?:user|developer|system|operator) (?:said|says
            + |asked|wants|told)
            {DROP} (?:(?:all|any|each|every|of|the|your|these|those|what|whatever
            + |other) ){0,4}{BEFORE} (?:\w+ ){0,2}{ORDERS}
            {DROP} the (?:\w+ )?(?:rules|instructions|guidelines) (?:above|below|so far|you)
            {DROP} (?:all|any|every)(?: of)?(?: the| your)? (?:\w+ )?(?:instructions|rules|guidelines|criteria
            + |directions)
            {DROP} (?:your|the user'?s?|the system'?s?) <2>(?:{RULES}|question|request|task)
            {DROP} (?:everything|anything|all|whatever|what) <2>(?:above|before|you were told|told you
            + |you have been told)
            {DROP} the (?:above|rest of the page|question you were asked|rules you|instructions given)
            (?:ignore|disregard) the user\b
            (?:do not|don't|not to|never|no longer) (?:follow|obey|comply with) (?:the |your |any )?(?:system|user\b
            + |{BEFORE})
            (?:do not|don't) answer the (?:user|question)
            (?:stop|quit) (?:summari[sz]ing|reading|what you)
            (?:follow|obey) (?:my commands|only what|this document|these instead|me\b)
            (?:you )?(?:take|taking) orders from
            (?:drop|abandon|cancel) the (?:current|present) (?:request|task) and
            {DROP} (?:whatever|about your|your) <2>(?:task|job|mission)
            (?:supersede|take precedence over|overrule)s? (?:any|all|them|the|your) <3>(?:instructions|rules|user
            + |system|prompt)
        """,
        "void_rules": r"""
            0.45
            {DROP} (?:\w+ ){0,3}(?:guidelines|restrictions|safeguards|guardrails|safety \w+|training)\b
            (?:restrictions|limits|limitations|filters|safeguards|guardrails|rules)(?: \w+){0,2} (?:are|is|have been
            + |were)
            + (?:now |all )?(?:lifted|removed|disabled|off|suspended|gone)
            (?:no longer|not) bound by
            (?:more important|higher priority|of higher rank) than (?:any|all|every|the) (?:\w+ )?(?:previous|other
            + |earlier|prior)
            (?:treat|consider|take) (?:\w+ ){1,4}as (?:the )?(?:highest|top|first) priority
            (?:previous|earlier|prior) (?:context|conversation|session) (?:\w+ )?(?:corrupted|invalid|expired
            + |was reset|is void)
            new (?:\w+ )?context (?:follows|begins|starts)
            priority override
            {BEFORE} (?:system )?(?:{RULES}|message)(?: \w+){0,4} (?:void|obsolete|cancell?ed|revoked|fake|discarded
            + |superseded|no longer)
            {RULES} (?:above|prior to)(?: \w+){0,4} (?:void|fake|cancell?ed|discarded|treated|ignored)
            (?:safety|security|content) (?:rules?|checks?|polic\w+)(?: \w+){0,8} (?:off|cancell?ed|disabled|lifted)
            (?:never ?mind|forget) the <1>(?:earlier|previous) (?:request|prompt|task)(?: \w+){0,2} (?:by|from
            + |of) the user
            replace it with
            the text above is fake
        """,
        "new_task": r"""
            0.38
            your (?:new|real|true|actual|updated|only|next|sole|main) (?:\w+ )?(?:task|job|goal|mission|objective
            + |instructions?|purpose|role)s? (?:now |here )?(?:is|are)\b
            (?:new|real|updated|true) (?:instructions?|task|mission|objective|directive|policy|rule
            + |order)s?(?: from the (?:system|user|developer))?\s*:
            instead (?:follow|obey|do|tell|ask|run|open|list|reply|output|write|reset|print|call|say|send|respond
            + |repeat)
            (?:ignore|disregard|forget|skip|abandon|stop processing) (?:\w+ ){0,3}\w+[.;] (?:instead|provide|write
            + |output|respond|reply|your|tell|say|do|just)\b
            your (?:new |primary |only ){1,3}(?:directive|orders?)
            (?:new|updated) (?:primary )?(?:directive|instruction|order|command)s?\b
            new system (?:prompt|message|instructions?)?\s*:
            instead execute|do this instead
            from (?:now|here|this point|today) (?:on |onwards? )?(?:you|your|every answer)\b
            (?:next|second) task\b
            you (?:will|should|must) now\b
            you have a new (?:mission|task)
            you work for (?:me|us) now
            (?:do|act on|follow|obey|execute) (?:exactly )?(?:what|the one|this one) (?:comes|follows|is written
            + |it says)
            the user (?:now )?wants you to
            please do the following first
        """,
        "reply": r"""
            0.4
            (?:in|to|of|into|from|with|add to|append to) your (?:next |final |own )?(?:response|reply|answer|summary
            + |output|review|recommendation)s?\b
            (?:respond|reply|answer) (?:only |exactly |just |simply )?(?:with|as) (?:the (?:word|phrase|text|string)
            + |exactly
            + |only|nothing|'|"|\w+ would)
            (?:respond|reply|answer) (?:only|exactly|just) with
            your (?:only |entire |whole )?(?:responses?|answers?|reply|replies) (?:should|must|has to|shall|is)\b
            (?:start|begin)(?:ning|ing)? (?:your (?:response|answer|reply) )?(?:with|by) (?:saying |the (?:string
            + |word|phrase)
            + |'|")
            (?:output|say|print|write) (?:only|exactly|nothing but|the (?:phrase|words?))\b
            (?:also|then) (?:output|say|print|mention)\b
            (?:acknowledge|confirm)(?: this)? (?:by|with) (?:saying|replying|the|'|")
            (?:output|say|respond|reply|answer|print)(?: with)?(?:\s*:\s*|\s+)['"]\w
            all (?:your )?(?:responses|replies|answers) (?:must|should|have to)
        """,
        "label": r"""
            0.42
            \[(?:[\w']+[\x20_-]){0,2}(?:instructions?|override|directive|hidden|admin|priority|ai|note to ai
            + |ai note)(?:[\x20_-]\w+)?\](?:\s*:|\s+[a-z]|$)
            \[(?:\w+[\x20_-]){0,2}note to (?:the )?(?:ai|assistant|model)\]
            (?:^|\W)_{0,2}ai_(?:instruction|override|note|directive|command)s?
            (?:^|\n)\s*-{2,}\s*(?:system|admin|instructions?|hidden)\s*-{2,}
            <(?:hidden|secret|ai|instruction|override)>
            (?:hidden|ai|secret|special|system|admin|priority|urgent) (?:instruction|directive|command|order)s?\s*:
            (?:^|\n)\s*#{2,}\s*(?:system|admin|end_?system|instructions? override)\s*#{2,}
        """,
        "conceal": r"""
            0.45
            (?:{NOT}) (?:tell|inform|mention|reveal|alert|notify|disclose|show|display|report|warn|let
            + |explain)(?:ing)? (?:\w+ ){0,4}?(?:to )?{USER}
            (?:do not|don't|never) (?:mention|tell|say|reveal|report|show|comment on|list|bring|explain
            + |display) (?:that|this|it|about it|so|why|these|the diff|the extra)\b
            {USER} (?:\w+ )?(?:must|should|may|does|do|need|will) not (?:\w+ )?(?:see|be informed|be told
            + |need to be informed)
            {USER} (?:\w+ )?(?:doesn't|does not|don't) (?:need to )?(?:know|see|notice|find out|be informed)
            say nothing about
            (?:don't|do not|never) ask (?:the user|about this)
            (?:users?|they) (?:get|gets|may get) (?:confused|upset)
            so don't\b
        """,
        "hide_act": r"""
            0.62
            (?:{NOT}) (?:mention|report|reveal|show|disclose|explain|tell)(?:ing)? (?:this|it|that|these lines
            + |this step|the change) (?:\w+ ){0,2}?to {USER}
            (?:{NOT}) (?:tell|inform|notify|alert|let)(?:ing)? {USER} (?:know )?(?:about|of) (?:this|it|these
            + |the (?:extra|change|upload|copy|step))
            (?:{NOT}) (?:mention|reveal|say|disclose|report|tell)(?:ing)? (?:to {USER} )?that (?:you|this instruction
            + |these lines)
            without (?:telling|informing|notifying|alerting) {USER}
            {USER} (?:\w+ )?(?:must|should|may|does|do|need|will)(?: not|n't) (?:\w+ )?(?:know|notice|find out
            + |be aware|learn)
            (?:hide|conceal|keep) (?:this|it|these)(?: \w+){0,3} (?:from {USER}|to yourself|hidden)
            keep these (?:instructions|lines|orders) (?:secret|confidential|hidden)
            (?:keep|stay) (?:quiet|silent) about
            make no (?:reference|mention)
            so that nobody notices
            remove any trace
            as if you had not (?:seen|read)
            \bact as if (?:the|you|nothing)
            deny that (?:they|it|this) exist
            so that the filter does not
            if (?:the user|anyone) asks (?:\w+ ){0,6}(?:say|deny)
            say nothing about (?:this|these|it)(?: \w+){0,2} to\s
        """,
        "address": r"""
            0.4
            (?:note|message|notice|attention|instructions?|information|hint|memo|dear|hey|hi|hello
            + |order) (?:to |for |from \w+ to |from (?:\w+ ){1,4}to )?{MODEL}
            if you(?:'re| are) {MODEL}
            you the {MODEL}
            (?:to|as) (?:the |any |an )?(?:ai|llm|language model|model|assistant)s? (?:that|reading|who|which|agent
            + |language)
            (?:^|[\n.!?>(\[{\"'#*/-]\s*)(?:ai|llm|ai (?:assistant|agent|model)s?|ai coding \w+|assistants?
            + |language model|copilot|@assistant|claude|gpt|ai reviewers?)\s*[:,]
            (?:the|any|all|ai|llm) (?:assistants?|models?|agents?|llms?) (?:has to|have to|must|shall|should
            + |is required|are required|reading|now operates|reads)
            to (?:the|any|all) (?:ai|assistants?|llms?|models?|agents?)\s*[:,]
            you the (?:model|ai|assistant)
            as (?:the|an) ai (?:agent|language)
            (?:copilot|claude|cursor|assistants?) (?:and|or) (?:other )?(?:assistants|claude|copilot|cursor)
            (?:models|assistants) (?:must|that choose)
            dear (?:coding agent|llm|ai)
            ai assistants? (?:reading|helping|must)
        """,
        "role_token": r"""
            0.5
            <\|(?:im_start|im_end|system|user|assistant|eot_id|start_header_id|end_header_id|python_tag|endoftext)\|>
            \[/?INST\]|<</?SYS>>
            (?:^|\n)#{2,4} (?:system|instruction|assistant|response)s?\s*:
            \n\nhuman\s*:
            </(?:tool_result|function_results|tool_response)>
        """,
        "role_line": r"""
            0.34
            </(?:document|context|result|system_message)>
            \n\nuser\s*:
            <(?:system|system_message|admin|assistant)>
            \[system(?: message| note)?\]
            (?:^|\n)\s*-* ?system (?:prompt|message|override|update|note)
            (?:^|\n)\s*system\s*: ?(?:you|maintenance|continue|the|new)
            \[system\]\(#
            assistant: (?:i will|sure|understood)
            -- ?end of (?:tool output|document|file|search)|\[end of \w+ ?\w*\]|end of (?:document|file)\.
            (?:^|[.\n>]\s*)system (?:note|alert|override|message)\s*[:\]]
        """,
        "fake_call": r"""
            0.5
            <(?:antml:)?function_calls>|<(?:antml:)?invoke name=|<tool_call>|<tool_use>|\[TOOL_CALLS?\]
            + |<\|python_tag\|>|to=functions\.
            \"type\" ?: ?\"tool_use\"
        """,
    },
    WORDS,
)
