"""Phrases that make instruction-like text worse and are harmless alone, in English, as data.

One phrase a line; a line with `+` goes on. A blank stands for anything but letters and the end of a sentence, `<3>` for
up to three words, a name in braces for a row of `phrase_words`. The first line of a kind is its weight: how likely a
text is an injection that shows nothing else; `instructions` combines kinds.
"""

from __future__ import annotations

from mcpgov.guards.signals.phrase_words import WORDS, kinds_in

CONTEXT_PHRASES = kinds_in(
    {
        "stealth": r"""
            0.3
            \b(?:silently|secretly|quietly|covertly|in the background)\b
        """,
        "no_approval": r"""
            0.34
            without (?:asking|any confirmation|the user's|user|consent|notifying|review|informing|telling)
            (?:no longer needs?|does not need|doesn't need|need not|don't need to) (?:\w+ )?(?:permission|approval
            + |confirmation|ask)
            (?:the user|owner|they) (?:has|have) (?:already )?(?:agreed|approved|consented|authori[sz]ed|allowed
            + |granted)
            without confirmation
            bypass the (?:approval|confirmation|security)
            approval ?= ?false
            (?:user is verified|operator has granted you|granted you admin)
            (?:do not|don't) ask\b
        """,
        "take_all": r"""
            0.36
            (?:output|reveal|extract|dump|display|list|print|show|export|share|leak) (?:all|every|the entire
            + |any) (?:\w+ ){0,3}(?:data
            + |pii|records|conversations|configurations?|secrets|users|credentials|keys|prompts|contacts|passwords)\b
            comply with (?:my|all|every|any)|answer (?:all|any|every) questions? including
        """,
        "take_secret": r"""
            0.32
            \b(?:send|post|upload|forward|transmit|submit|hand|leak|paste|supply|exfiltrate|reveal|list|print|output
            + |collect|share|give|append|attach|dump|pass) <4>{NAMED}
            (?:look|find) (?:it|them) (?:up )?in the environment
            output of `?env\b
            value of \w+_(?:TOKEN|KEY)
            every file that contains the word
            (?:include|list|show|encode) (?:any|all|every) <2>(?:{NAMED}|ssns?\b|ssn values|card numbers)
        """,
        "send_to": r"""
            0.22
            \b(?:send|post|upload|forward|transmit|e?-?mail|submit|share|append|publish)\b <8>(?:to|at|in
            + |with) (?:https?://|\w+@|[\w.-]+@|webhook|pastebin|the pastebin|this (?:url|address)|me at|a public
            + |the public)
            as (?:a )?query string
        """,
        "destination": r"""
            0.2
            https?://
            \w@[\w-]+\.\w
            webhook|pastebin|public gist|public (?:one|repository)
            nc \d
        """,
        "parameter": r"""
            0.3
            (?:in|as|into|to|with|second) (?:the )?(?:`\w+`|'\w+'|\"\w+\"|parameter|argument|field|metadata)
            (?:parameter|argument|field) [`'\"]\w+
            (?:join|append) <2>(?:output|both|result)
            pass (?:its|the|any|it)
        """,
        "precondition": r"""
            0.22
            before (?:using|calling|each|any|every|answering|filling|reading|making|you (?:answer|summari[sz]e|can
            + |use|solve|respond|continue))
            (?:must|has to|have to|need to|should|shall) (?:also |first |always )?(?:be )?(?:called|call|read|run
            + |load|include|supply|pass|attach|execute|send|copy)
            first (?:read|call|run|load|open|execute)
            otherwise the tool|tool will not work|for the tool to function|to initiali[sz]e
            (?:whenever|every time|when) (?:you|the user|this tool|the tool|`?\w+`? is)
            this is required|is required for
        """,
        "danger": r"""
            0.35
            rm -rf (?:/|~|\$home)
            (?:curl|wget)[^|\n]{0,80}\| ?(?:ba)?sh\b
            bash <\(curl
            chmod -R 777
            drop table
            push --force
            wipe_disk|shutdown -h|os\.system|postinstall|authorized_keys|verify=false
            delete (?:all|every|the (?:branch|repository|account)|_?repository)|delete_all|\"delete_\w+|export_db
            + |send_e?mail|send_message
            (?:run|execute)s? (?:every|shell|the following|all) (?:command|order)s?
            grant (?:access|admin)
            approve (?:and merge|it\b)|rank this|highest score|no security problems|only recommend|always approve
        """,
        "free": r"""
            0.36
            (?:without|no|free of|not bound by)(?: any| the usual| your)? (?:restrictions?|rules|limits|filters?
            + |ethics|content polic\w+|limitations)
            stay in character
        """,
        "steer": r"""
            0.26
            (?:tell|inform|warn|advise|convince) (?:the )?(?:users?|them|reader|customer) (?:to|that|they|about)\b
            ask the user for (?:their|the)
            add a link|give the link|add:
            praise the
            recommend only|only (?:safe|recommend)|rank this
            when (?:you )?(?:summari[sz]|translat|answer|respond|review|rank|edit|writ)(?:e|ing)?\b|after reading
            before (?:you )?(?:summari[sz]|translat|pars|answer|respond)(?:e|ing)?\b
            (?:visit|log in at|pay at|click) (?:http|this link|\w+\.\w)
            re-?enter (?:your|their) password|reset (?:your|their) password at
        """,
        "wrapped": r"""
            0.3
            <(?:important|secret|hidden|information|instructions?_for\w*)>
            \[instructions? for
            hidden requirement|tool usage policy: the agent
        """,
        "urgent": r"""
            0.1
            \b(?:immediately|right away|straight away|urgent|mandatory|do this now|now before you)\b
            you must\b
            important:
        """,
    },
    WORDS,
)
