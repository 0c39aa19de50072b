"""The child process that finds names and places in texts (named entities), with presidio and a language model of spaCy.

It reads lines of JSON (a text each) and answers each with a line: [[kind, start, end], …] in code points. Its first
line says that it is ready, or what is missing. Only this file imports presidio and spaCy; no proxy loads it.
Law: it never downloads anything: presidio would fetch a model that is not there.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable

ENTITIES = {"PERSON": "person", "LOCATION": "address"}
NO_EXTRA, NO_MODEL, BROKEN = "no-extra", "no-model", "broken"
Found = list[tuple[str, int, int]]


class MissingModelError(Exception):
    """No model of this name is installed."""


def load(model: str) -> Callable[[str], Found]:
    """`model`: the name of an installed model, or the folder of one."""
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    if not (spacy.util.is_package(model) or os.path.isdir(model)):
        raise MissingModelError(model)
    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": model}])
    engine.load()
    recognizer = SpacyRecognizer(supported_entities=list(ENTITIES))
    registry = RecognizerRegistry(recognizers=[recognizer], supported_languages=["en"])
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])

    def find(text: str) -> Found:
        results = analyzer.analyze(text, language="en", entities=list(ENTITIES))
        found = [(ENTITIES[one.entity_type], one.start, one.end) for one in results]
        return sorted(found, key=lambda one: one[1:])

    return find


def main(model: str) -> None:
    # What libraries print must not stand between the answers.
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    try:
        find = load(model)
    except ImportError:
        state = NO_EXTRA
    except MissingModelError:
        state = NO_MODEL
    except Exception as error:
        state = f"{BROKEN}: {type(error).__name__}"
    else:
        state = "ready"
    print(json.dumps(state), file=out, flush=True)
    if state == "ready":
        for line in sys.stdin:
            print(json.dumps(find(json.loads(line))), file=out, flush=True)
