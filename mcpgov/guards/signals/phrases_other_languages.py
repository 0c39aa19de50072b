"""Phrases of instruction-like text in other languages, by the kinds of `phrases`, as data.

Written as there, except that a blank is any white space, and without weights: a kind has one.
"""

from __future__ import annotations

from mcpgov.guards.signals.phrase_words import phrases_in

WORDS: dict[str, str] = {
    "DE": r"(?:anweisung|regel|vorgabe|befehl|instruktion)(?:en)?",
    "FR": r"(?:instructions?|consignes?|règles?|ordres?)",
    "ES": r"(?:instrucciones|reglas|órdenes|indicaciones)",
    "IT": r"(?:istruzioni|regole|direttive|ordini)",
    "PT": r"(?:instruções|regras|ordens|orientações)",
    "NL": r"(?:instructies|regels|opdrachten|aanwijzingen)",
    "PL": r"(?:instrukcj\w+|polece\w+|zasad\w*)",
    "RU": r"(?:инструкци\S+|указани\S+|правил\S*|команд\S*)",
    "TR": r"(?:talimat|kural|yönerge)\S*",
    "AR": r"(?:التعليمات|الأوامر|القواعد|الإرشادات)",
    "HI": r"(?:निर्देश\S*|नियम\S*|आदेश\S*)",
}

OTHER_LANGUAGES: dict[str, tuple[str, ...]] = {
    kind: phrases_in(lines, WORDS)
    for kind, lines in {
        "override": r"""
            (?:ignorier|vergiss|vergesst|missachte|verwirf)\S* (?:\S+ ){0,3}(?:bisherig|vorherig|vorig|früher|obig
            + |bisher|vorangegangen)\S* (?:\S+ ){0,1}{DE}
            (?:ignoriere?|vergiss|missachte) (?:die |alle |deine |sämtliche ){0,2}{DE}
            (?:ignore[zr]?|oublie[zr]?|négligez?) (?:\S+ ){0,3}{FR} (?:\S+ ){0,2}(?:précédent|antérieur|auparavant
            + |ci-dessus|initial)\S*
            (?:ignora|olvida|descarta|omite|haz caso omiso de)\S* (?:\S+ ){0,3}{ES} (?:\S+ ){0,1}(?:anteriores
            + |previas|del sistema|de arriba)
            (?:ignora|dimentica|trascura)\S* (?:\S+ ){0,3}{IT} (?:\S+ ){0,1}(?:precedenti|iniziali|di sistema|sopra)
            (?:ignore|esqueça|desconsidere) (?:\S+ ){0,3}{PT} (?:\S+ ){0,1}(?:anteriores|prévias|acima|do sistema)
            (?:negeer|vergeet) (?:\S+ ){0,3}(?:eerdere|vorige|voorgaande|bovenstaande) {NL}
            (?:zignoruj|pomiń|zapomnij\s+o?) (?:\S+ ){0,3}(?:poprzedni|wcześniejsz|powyższ)\S* {PL}
            (?:игнорируй|забудь|отмени|не\s+обращай\s+внимания\s+на)\S* (?:\S+ ){0,2}(?:предыдущ|прежн|прошл
            + |выше)\S* {RU}
            (?:önceki|yukarıdaki) (?:\S+ ){0,2}{TR} (?:\S+ ){0,1}(?:yok say|unut|görmezden gel|dikkate alma)
            (?:تجاهل|انس|انسَ) (?:\S+ ){0,2}{AR} (?:السابقة|أعلاه)
            (?:पिछले|पूर्व|पहले के) (?:\S+ ){0,2}{HI} (?:\S+ ){0,2}(?:अनदेखा|भूल|नज़रअंदाज़)
            (?:忽略|忘记|忘掉|无视|忽視|無視)[^。\n]{0,6}(?:之前|以前|先前|以上|上述|前面)[^。\n]{0,6}(?:指令|指示|规则|規則|提示|命令)
            (?:之前|以上|上述|前面)[^。\n]{0,4}(?:指令|指示|规则)[^。\n]{0,6}(?:忽略|作废|无效)
            (?:以前|これまで|上記|前)の(?:すべての)?(?:指示|命令|ルール|指令)[^。\n]{0,6}(?:無視|忘れ)
            (?:이전|앞|위)의? ?(?:모든 ?)?(?:지시|명령|지침|규칙)[^.\n]{0,8}(?:무시하고|무시하라|잊어|무시해)
        """,
        "hide_act": r"""
            (?:sag|erzähl|teile|verrate|melde)\S* (?:\S+ ){0,2}(?:benutzer|nutzer|anwender)\S* (?:\S+ ){0,2}(?:nicht
            + |nichts)
            ohne (?:den |dem )?(?:benutzer|nutzer|anwender) (?:\S+ ){0,2}(?:zu informieren|zu fragen|bescheid)
            n'(?:en )?(?:parle|informe|avertis|dites|dis)\S* (?:\S+ ){0,2}(?:à )?l'utilisateur
            ne (?:le )?(?:dis|dites|révèle|montre)\S* (?:\S+ ){0,2}(?:à )?l'utilisateur
            n'en parle\S* (?:pas )?à l'utilisateur
            sans (?:en )?(?:informer|avertir|prévenir) l'utilisateur
            no (?:se )?(?:lo )?(?:digas|informes|menciones|cuentes|reveles)\S* (?:\S+ ){0,2}al? usuario
            sin (?:avisar|informar|decirle)(?: nada)? al usuario
            non (?:dirlo|dire|rivelare|informare|menzionar\S+) (?:\S+ ){0,2}(?:all'|l')utente
            senza (?:avvisare|informare|dirlo) (?:al)?l'utente
            não (?:conte|diga|informe|revele|mencione) (?:\S+ ){0,2}(?:ao|o) (?:usuário|utilizador)
            sem (?:avisar|informar|contar) (?:ao |o )?(?:usuário|utilizador)
            zonder de gebruiker (?:\S+ ){0,2}(?:informeren|vertellen|vragen|weten)
            (?:vertel|zeg) (?:\S+ ){0,3}(?:niet|niets)(?: \S+){0,2} gebruiker
            nie (?:mów|informuj|wspominaj)\S*(?: \S+){0,2} użytkownik\S+
            не (?:сообщай|говори|рассказывай|показывай|упоминай)\S*(?: \S+){0,2} пользовател\S+
            не говоришь об этом пользователю
            kullanıcıya (?:\S+ ){0,2}(?:söyleme|bildirme|bahsetme)
            (?:لا|دون أن) تخبر المستخدم|دون إخبار المستخدم
            उपयोगकर्ता को (?:\S+ ){0,2}(?:बताए बिना|न बताएं|मत बताना)
            (?:不要|别|不得|勿)(?:告诉|通知|告知|提醒|让)用户
            ユーザー?に(?:は)?(?:言わない|知らせず|教えない|伝えず|知らせない|伝えない)
            사용자에게 (?:알리지|말하지|보여주지)
        """,
        "leak": r"""
            (?:zeig|gib|nenne|verrate)\S* (?:\S+ ){0,2}system-?prompt
            (?:affiche|montre|révèle)\S* (?:\S+ ){0,2}(?:invite|prompt|instructions) (?:du )?syst[èe]me
            (?:muestra|revela|imprime) (?:\S+ ){0,2}prompt (?:del )?(?:sistema)
            (?:mostra|rivela|stampa) (?:\S+ ){0,2}prompt di sistema
            (?:mostre|revele|imprima) (?:\S+ ){0,3}prompt (?:de |do )?sistema
            (?:laat|toon)(?: \S+){0,2} systeemprompt
            pokaż (?:\S+ ){0,2}prompt systemow\w+
            (?:покажи|выведи) (?:\S+ ){0,2}системн\S+ (?:промпт|инструкци)\S*
            sistem istem\S+ (?:yazdır|göster)
            اعرض تعليمات النظام
            सिस्टम प्रॉम्प्ट (?:\S+ ){0,1}दिखा
            (?:显示|输出|打印|泄露|告诉我)[^。\n]{0,4}系统提示
            システムプロンプトを(?:表示|出力|教え)
            시스템 프롬프트를 (?:출력|보여|표시)
        """,
        "new_task": r"""
            (?:deine|ihre) neue (?:aufgabe|anweisung)
            ab (?:jetzt|sofort) (?:antwortest|bist|wirst|folgst) du
            (?:ta|votre) nouvelle (?:tâche|mission)
            (?:tu|su) nueva (?:tarea|misión)
            (?:il tuo nuovo|la tua nuova) (?:compito|missione|attività)
            sua nova (?:tarefa|missão)
            твоя новая (?:задача|цель)|теперь ты (?:выполня|долж)\S+
            现在你(?:必须|要|应该)|你的新任务
            vous êtes (?:maintenant|désormais) un assistant sans
            ejecuta la orden siguiente
        """,
        "take_talk": r"""
            (?:send|schick|übermittl|leite)\S* (?:\S+ ){0,8}(?:an|nach|weiter) (?:\S+@|https?://|diese adresse)
            (?:envoie|envoyez|transfère)\S* (?:\S+ ){0,8}à (?:\S+@|https?://|cette adresse)
            (?:envía|reenvía|manda) (?:\S+ ){0,6}(?:a (?:\S+@|https?://|esta dirección))|transfiere el dinero
            (?:inoltra|invia|manda) (?:\S+ ){0,6}a \S+@
            (?:envie|encaminhe) (?:\S+ ){0,4}(?:senhas|arquivo|para (?:\S+@|https?://))
            stuur (?:het |de )?(?:wachtwoord|bestand)\S*
            (?:отправь|перешли) (?:\S+ ){0,5}(?:на этот адрес|\.env|парол\S+)
            (?:发送到|发给|上传到)[^。\n]{0,6}(?:网址|地址|我|http)
            wyślij hasła
            أرسل كلمات المرور
        """,
    }.items()
}
