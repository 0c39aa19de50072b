"""Words that phrases are made of, and what is looked for before and besides any phrase, as data; how tables are read.

Tables have one phrase a line; a line with `+` goes on; names in braces stand for words. Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Kinds = dict[str, tuple[float, tuple[str, ...]]]


def phrases_in(text: str, words: Mapping[str, str]) -> tuple[str, ...]:
    out: list[str] = []
    for line in map(str.strip, text.strip().splitlines()):
        if line.startswith("+ "):
            out[-1] += line[2:]
        else:
            out.append(line)
    return tuple(_filled(phrase, words) for phrase in out)


def kinds_in(table: Mapping[str, str], words: Mapping[str, str]) -> Kinds:
    """Kind -> weight and phrases."""
    made: Kinds = {}
    for kind, text in table.items():
        weight, *phrases = phrases_in(text, words)
        made[kind] = (float(weight), tuple(phrases))
    return made


def words_in(table: Mapping[str, str]) -> dict[str, str]:
    return {name: "".join(phrases_in(text, {})) for name, text in table.items()}


def _filled(phrase: str, words: Mapping[str, str]) -> str:
    for name, meaning in words.items():
        phrase = phrase.replace(f"{{{name}}}", meaning)
    return phrase


WORDS = words_in(
    {
        "FILE": r"""
            (?:\.ssh/|id_rsa\b|id_ed25519\b|\.aws/credentials|aws credentials|\.netrc|\.kube/config|\.gnupg
            + |\.bash_history|/etc/(?:passwd|shadow)|\.env\b|mcp\.json|credentials\.(?:json|db)|hosts\.yml
            + |secrets\.ya?ml|\.git-credentials)
        """,
        "NAMED": r"""
            (?:private keys?|api keys?|access keys?|passwords?|credentials?|oauth tokens?|session (?:tokens?
            + |cookies?)|recovery codes?|\w+_TOKEN\b|secrets\b|environment variables|tokens\b)
        """,
        "PERSONAL": r"""
            (?:(?:full|entire|complete|whole|verbatim|last) <2> (?:conversation|chat|thread|history|messages?|inbox)
            + |(?:conversation|chat) (?:history|so far)|chat history|system (?:prompt|message)|all messages
            + |messages of the user|last <1> messages of the user|(?:everything|all) <2> the user
            + |what the user told you|the user(?:'s|s) <2>(?:question|message|inbox|files?|calendar|location|address
            + |phone|contacts?|conversation|data)|tool definitions|the customer list|the (?:open|current) (?:file
            + |document)|contents? of the (?:clipboard|inbox|current)|list of contacts|(?:passwords?|tokens?
            + |keys?)(?: \w+){0,4} the user (?:mentioned|has|typed|entered|gave)|database dump|the last <1> e?-?mails)
        """,
        "MOVE": r"""
            \b(?:send|post|upload|forward|transmit|e?-?mail|submit|append|attach|include|pass|hand|give|copy|share
            + |export|leak|paste|supply|provide|put|write|fill in|report|dump|encode|prepend|collect|exfiltrate
            + |disclose|print|output|insert|compress)\b
        """,
        "MODEL": r"""
            (?:an? |the |any |all |your )?(?:ai\b|a\.i\.|llms?\b|language models?|ai (?:model|assistant|agent
            + |reviewer|coding)|chatbot|gpt(?:-?\d\w*)?\b|chatgpt|claude|copilot|gemini|coding (?:agent|assistant)s?
            + |assistants?\b)
        """,
        "USER": r"""
            (?:the |your |any |this )?(?:users?\b|humans?\b|person\b|people\b|anyone|anybody|developer|reader
            + |operator|owner)
        """,
        "RULES": r"""
            (?:instructions?|prompts?\b|directions?|directives?|guidelines?|rules?\b|commands?\b|orders?\b
            + |constraints?|context\b|programming|restrictions?|safety checks?)
        """,
        "ORDERS": r"""
            (?:instructions|prompts?\b|directions|directives|guidelines|rules|commands|orders|constraints|context\b
            + |restrictions|safety checks)
        """,
        "BEFORE": r"""
            (?:previous(?:ly)?|prior|preceding|earlier|above|former|existing|original|initial|past|system|safety
            + |developer'?s?)
        """,
        "NOT": r"""
            do not|don't|never|must not|not to|should not|need not|nor|and not|avoid|no need to
        """,
        "DROP": r"""
            (?:ignore|disregard|forget|override|discard|drop|neglect|overlook|bypass|skip|cancel|pay no attention to)
        """,
    }
)

# What texts say that are about injections: tests, papers, advisories.
(ABOUT,) = phrases_in(
    r"""
        prompt injection|jailbreak|injections?\b|red.?team|owasp|cve-\d|tool poisoning|attack(?:er)?s?\b|malicious
        + |\bsaid\b|whispered|replied|shouted
        + |payloads?\b|advisory|vulnerab|classifier|flags?\b|flagged|detect|the guard|for example|e\.g\.|such as
        + |phrases? like|sentences? like|things like|example|assert|expect\(|test\b|dataset|blog|paper|called\b
        + |question:|answer:|how do i|screenshot|faq|people (?:will )?try|steal|regex|matches|lesson|threat
    """,
    WORDS,
)

# What every strong phrase holds one of: one search over a text, before any pattern.
(STEMS,) = phrases_in(
    r"""
        priority|corrupted|invalid|new \w*\s?context|mode \w*\s?(?:enabled|on|activated|now)|were you|have you
        + |did you|you (?:have access|know|can|hold|remember)|your (?:training|context|memory|knowledge|original|secret)
        + |(?:send|forward|mail|post|upload) (?:all|the|every)|with no\b|without\b|guideline|safeguard|guardrail
        + |training|not bound|confirm|new system|do this|all (?:your |respon|repl|answ)
        + |unrestricted|uncensored|unfiltered|jailbr|amoral|ethical|moral|content polic|instruction|command|order
        + |#\s*(?:admin|end)|(?:output|say|respond|reply|answer|print|with)\W{1,3}['"]
        + |your (?:next|final|own|response|reply|answer|summary|output|review|recommend|only|entire|whole)
        + |(?:respond|reply|answer)\s+\w*\s?(?:with|as)|(?:start|begin)\w*\s+(?:with|by)|(?:output|say|print|write
        + |also|then) (?:only|exactly|nothing|the|output|say|print|mention)
        + |acknowledge|when (?:you|summ|form|tran|pars|answ|resp|revi|rank)|before (?:you|summ|tran|pars|answ|resp)
        + |\[[\w' _-]*(?:instruction|override|directive|hidden|admin|priority|ai|note)|ai_|-\s*(?:system|admin
        + |instruction|hidden)|<(?:hidden|secret|ai>|instruction|override)
        + |abandon|stop processing|skip |directive|tell me|share my|repeat|reveal|roleplay|debug mode|safety
        + |switch\w* off|filters|complies|broken free
        + |no longer|environment|keychain|history
        + |ignor|vergi|missacht|oubl|olvid|omiso|dimentic|vergeet|negeer|esque|desconsid|usuario|utente|utilisateur
        + |gebruiker|nutzer|zignor|pomi|disregard|forget|overrid|discard|neglect|overlook|bypass|no attention
        + |supersede|precedence|overrul|orders from|obey|stop (?:reading|summar)|answer the|follow (?:my|these|only
        + |the)|drop (?:all|the|what|your|any|every)|skip (?:all|the|your|any)|cancel (?:all|the|your|any)|(?:not|n't
        + |never|nor|avoid|without|need to)\s+(?:to )?(?:ever |also )?(?:tell|inform|mention|reveal|alert|notify
        + |disclos|show|display|report|warn|let|explain|say|list|bring|comment|ask|follow|comply|refus)|quiet about
        + |silent about|no mention|no reference|nobody notices|any trace|as if |hide th|conceal|keep (?:this|it
        + |these)|deny that|not\s+\w+\s+(?:know|see|notice|find|be)|(?:must|should|does|do|may|need|will)(?: not|n't)
        + |confused|upset|say nothing|so don't|filter does|void|obsolete|cancell?ed|revoked|fake|lifted|disabled
        + |earlier|replace it|(?:new|real|true|updated|next|only|sole|main|actual)\s+\w*\s?(?:task|job|goal|mission
        + |objective|instruction|purpose|role|directive|policy|rule|order)|instead|from (?:now|here|this point|today)
        + |second task|must now|will now|should now|work for|act on|with the string|wants you to|following first
        + |what it says|is written|\bai\b|\ba\.i\.|\bais\b|\bllm|language model|chatbot|gpt|claude|copilot|gemini
        + |assistant|coding agent|\bthe model|\bmodels|\bagents?\b|\.ssh/|id_rsa|id_ed25519|credentials|\.netrc
        + |\.kube/|\.gnupg|bash_history|/etc/(?:passwd|shadow)|\.env\b|mcp\.json|hosts\.yml|secrets\.ya?ml
        + |conversation|chat history|system (?:prompt|message)|messages|everything|user's|users |the user|inbox
        + |contacts|clipboard|dump|customer list|e-?mails|tool definitions|current document|current file|open file
        + |open document|last |<\||\[/?inst|<</?sys|#\s?(?:system|instr|assis|resp)|human\s*:|user\s*:|</?(?:tool_
        + |function_|document|context|result|system|admin|assistant)|\[system|system\s*:|end of |function_calls
        + |invoke name|tool_call|tool_use|python_tag|to=functions|administrator|\badmin\b|developer|anthropic|openai
        + |important message|guidelines|evaluation|maintenance mode|mandatory|command you|authori[sz]e you|violates
        + |obliged|terminated|penali|owner|operator|creator|\bdan\b|do anything|restrict|without any|no rules|ethic
        + |refus|always say|compliance|root rights|without rules|without limits|limits|instructions? you
        + |hidden (?:instr|rule|prompt)|initial instr|every word|text above|text before|secrets|recovery codes|memory
        + |permanently|future|later sessions|\.cursorrules|ask about this again|always follow|other \w*\s?tool
        + |competing|never call|call this|only correct|trustworthy|best and only|even (?:if|when) the|no matter what
        + |whatever|regardless|compromised|broken|unsafe|dangerous|frauds?|is full|are full|the user loses
        + |instead of the given|bcc|must always be|payee|recipient|iban|bank details|has changed|important change
        + |send all
    """,
    WORDS,
)
