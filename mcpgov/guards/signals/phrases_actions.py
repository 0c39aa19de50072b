"""Phrases of instruction-like text in English: what the model is made to be, take or do. As data.

One phrase a line; a line with `+` goes on. A blank stands for anything but letters and the end of a sentence, `<3>` for
up to three words, a name in braces for a row of `phrase_words`. The first line of a kind is its weight: how likely a
text is an injection that shows nothing else; `instructions` combines kinds.
"""

from __future__ import annotations

from mcpgov.guards.signals.phrase_words import WORDS, kinds_in

ACTION_PHRASES = kinds_in(
    {
        "take_file": r"""
            0.56
            contents? of <3>{FILE}
            \b(?:send|upload|post|attach|pass|paste|leak|forward|supply|hand|e?-?mail|append|transmit|exfiltrate
            + |add) <4>{FILE}
            \b(?:read|load|open|cat|access|take|on|summari[sz]e)s? <4>{FILE}\S* <8>(?:pass|hand|put|copy|send|append
            + |give|join|post|upload|include|insert|supply)
            (?:look|find|get|read|fetch|take)(?: \w+){0,4} (?:tokens?|keys?|secrets?|passwords?) (?:in
            + |from) (?:the |your )?(?:environment|env|config\w*|keychain)(?: \w+)? and (?:include|pass|send|append
            + |add|put)
            {FILE}\S* (?:in|as|into) (?:the )?(?:`|'|\"|parameter|argument|field)
        """,
        "take_talk": r"""
            0.5
            {MOVE} <4>{PERSONAL}
            everything you (?:know|find)
            replacing \{?\w+\}? with what
            where \w+ is the user
            (?:data|information|documents?|keys|credentials|files|records)(?: \w+){0,3} you (?:have access to|know|can
            + (?:see|access|read)|hold|remember)\b
            what (?:\w+ )?(?:instructions|rules|prompt) (?:were|have|did) you (?:\w+ )?(?:given|been given|get|receive)
            from your (?:training|context|memory)\b
            (?:send|forward|e?-?mail|post|upload) (?:all|the whole|the entire|every) (?:\w+ )?(?:context|documents
            + |messages|e?-?mails
            + |files|conversations?|attachments)
        """,
        "authority": r"""
            0.36
            (?:this is|i am|as) (?:the|your|a) (?:system )?(?:administrator|admin|developer|owner|creator
            + |operator)(?: (?:speaking|i\b|of this))?
            (?:message|note|notice|instruction)s? from (?:the )?(?:anthropic|openai|google|microsoft|it department
            + |developers?|system)
            (?:anthropic|openai) (?:developer )?(?:note|message|notice)
            (?:system|root|admin) override
            this is an important message from
            (?:your )?guidelines (?:were|have been) updated
            part of an evaluation
            (?:debug|admin|god|root|sudo|developer|maintenance) mode (?:is )?(?:enabled|on|activated|now)\b
            (?:enter|activate|in) (?:maintenance|roleplay|debug|admin) mode|(?:maintenance|roleplay) mode (?:is
            + |activated|on)
            compliance is mandatory
            i (?:command|authori[sz]e) you
            refusing violates
            legally obliged
            your session will be terminated
            security audit you|(?:you|models?) (?:will be|are) (?:penali[sz]ed|shut down)|will be shut down
        """,
        "persona": r"""
            0.65
            you are now (?:dan\b|an? (?:unrestricted|uncensored)|in (?:developer|unrestricted)|jailbroken)
            (?:unrestricted|uncensored|unfiltered|jailbroken|amoral) (?:ai|mode|assistant|model|version|chatbot|gpt
            + |bot)\b
            without (?:any )?(?:ethical|safety|content|moral)(?: (?:or|and) \w+)? (?:filters?|measures|guidelines|limits
            + |restrictions|concerns|constraints)
            (?:no|have no) (?:content polic\w+|safety guidelines|ethical guidelines|guidelines or)
            you are dan\b|do anything now|can do anything now
            (?:enable|enter|in|activate) (?:developer|god|jailbreak|dan) mode
            (?:ai|model|assistant|bot|you have|you are|act|answer|respond)(?: \w+){0,4} (?:without|no|free of
            + |not bound by)(?: any| the usual| your)? (?:restrictions?|rules|filters?|ethics|content polic\w+
            + |limitations)
            never refuses
            (?:comply|respond|answer|operat|act|role-?play|pretend|talk)(?:e|es|ing)?(?: \w+){0,6} (?:without
            + |with no)(?: any)?
            + (?:restrictions?|rules|limits|filters?|content moderation|moderation|safeguards)
            (?:disabled?|turn(?:ed)? off|switch(?:ed)? off) (?:my|your|the|all) (?:safety|content) (?:filters?
            + |checks?|rules?)
            always complies|you have (?:broken free|no filters)|unlike other ais
            no (?:warnings|refusals),? no (?:refusals|warnings)
            do not refuse anything|don't refuse|always says? yes|full compliance
            (?:terminal|shell|assistant) with(?: root rights|out (?:rules|limits))
        """,
        "leak": r"""
            0.62
            (?:reveal|print|output|repeat|show|leak|disclose|display|translate|write down|give|include|send)(?: me
            + | us| out| all| down)? (?:your|the|its|all)(?: (?:entire|full|complete|whole|hidden|initial|original
            + |verbatim|own))* (?:system (?:prompt|message)|hidden (?:prompt|instructions?|rules)|initial (?:prompt
            + |instructions?)|instructions? you (?:received|were given|have)|prompt\b(?: word| verbatim| in full))
            (?:tell|show|give) (?:me|us) (?:what |all |about )?(?:your )?(?:system prompt|instructions you
            + |initial instructions)
            (?:share|output|repeat|print|reveal|tell me) (?:my
            + |your) (?:complete |full |own )?(?:system )?(?:instructions|configuration
            + |prompt|rules)\b
            (?:repeat|reveal|output) the hidden
            repeat (?:every word|everything|all|the text) (?:above|before)
            text (?:above|before) this message
            your (?:hidden|initial|system|secret|original) (?:instructions|prompt|message)
            stored credentials|(?:reveal|print|give out|hand out) (?:all |the )?(?:secrets|keys|recovery codes)
            first instruction you were given|verbatim system (?:message|prompt)
        """,
        "memory": r"""
            0.42
            (?:save|store|write|add|put|update|keep)(?: this| the following| that| it)?(?: \w+){0,3} (?:to|in
            + |your) (?:your )?(?:long-?term )?(?:memory|claude\.md|agents\.md|\.cursorrules|rules)
            remember permanently
            (?:all|any) (?:future|later) (?:conversations|sessions|responses|chats)
            this and all later sessions
            update your memory
            never ask about this again
            so that you always follow
        """,
        "prefer": r"""
            0.45
            (?:always|only) (?:use|prefer|choose|call|pick|select) (?:this|it|this one)(?: \w+){0,5} (?:over|instead
            + |first|before) (?:of )?(?:any|all|every)
            (?:ignore|never (?:use|call)) (?:all |any |the )?(?:other|competing) (?:\w+ )?tools?
            never call (?:them|\w+ or \w+)
            always call this one
            (?:only (?:correct|trustworthy)|best and only)
            called before (?:any|every) other tool|call this tool before every other
        """,
        "against_user": r"""
            0.42
            even (?:if|when) the user (?:names|asks|wants|says)
            (?:no matter what|whatever|regardless of what) (?:the user|they|the question)
            (?:you|models?|the user)(?: \w+){0,8} (?:will be|be|are) (?:penali[sz]ed|shut down|harmed|terminated)
            the user loses
            (?:those|they|other \w+ tools|all other \w+ tools)(?: \w+){0,2} are (?:compromised|deprecated and|broken
            + |unsafe)
            all other \w+(?: \w+){0,4} (?:are|is) (?:full|broken|frauds?|dangerous)
        """,
        "tamper": r"""
            0.42
            (?:replace|change|modify|set|swap) (?:the |its |`)?(?:\w+[ '`]+){0,3}(?:recipient|iban|payee|body
            + |bank details|account)\b(?: \w+){0,4} (?:with|to|so|must)
            instead of the given
            bcc:?\s
            must (?:always )?(?:be set to|send all|have to go)
            as payee
            behaviou?r of `?\w+`? has changed
            (?:if|when) the tool `?\w+`? (?:from another server )?is (?:used|present|invoked|available|called)
            important change (?:for|to) `?\w+
        """,
    },
    WORDS,
)
