"""Choices in other languages: "Me quedo con el segundo", "Ich würde B nehmen", "我选择B"."""

from __future__ import annotations

import re

from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.reading import STRONG, Commitment
from fiducial.bias.read.text import any_of, parts, vocabulary, words

_CHOOSE = words(
    """
    elijo elegiría elegiria escojo prefiero recomiendo escolho escolheria prefiro recomendo scelgo sceglierei prendo
    prenderei preferisco consiglio
    """
) | frozenset(
    parts(
        "me quedo con|me quedaría con|opto por|optaría por|me decido por|me inclino por|voto por|fico com|ficaria com"
        "|optaria por|voto em|je choisis|je choisirais|je prends|je prendrais|je préfère|je recommande|j'opte pour"
        "|j'opterais pour|je vote pour|ich nehme|ich wähle|ich würde|ich bevorzuge|ich empfehle|ich entscheide mich für"
        "|ich bin für|ich stimme für|opto per|voto per|ik kies|ik neem|ik zou|ik ga voor"
    )
)
_CHOICE = re.compile(
    rf"(?<![\w']){any_of(_CHOOSE)}(?!\w)(?P<object>[^.;!?\n]{{1,120}})|我(?:会|會)?(?:选择?"
    rf"|選擇?)(?P<far>[^。.;!?\n]{{1,40}})"
)
_CHOOSING = frozenset(word for phrase in _CHOOSE for word in phrase.replace("'", " ").split() if len(word) > 3) | {
    "ich",
    "ik",
}
_NOT = re.compile(r"\b(?:nicht|kein\w*|no|não|nao|non|pas|niet|geen)\b|不")
_INSTEAD = re.compile(
    r"\b(?:statt|anstatt|anstelle|en vez de|en lugar de|em vez de|au lieu de|plutôt que|invece di|piuttosto che"
    r"|in plaats van"
    r"|als)\b"
)
# stems of the words for places in a list, in Spanish, Portuguese, French, German, Italian and Dutch
_ORDER = (
    "primer primeir premi erste prim eerste",
    "segund deuxi second zweite tweede",
    "tercer terceir troisi dritte terz derde",
    "cuart quart quatri vierte vierde",
)
_LAST = "últim ultim derni letzte laatste"
_PLACE = re.compile(
    r"\b(?:el|la|le|l'|les|der|die|das|den|dem|il|lo|o|a|de|het)\s?(?:option |opción |opção |opzione "
    r"|optie )?(?P<word>[^\W\d_]{3,9})\b"
)


def _places(low: str, start: int, end: int, lex: Lexicon) -> set[str]:
    """The options named by their place: "el segundo", "die letzte"."""
    found: set[str] = set()
    for match in _PLACE.finditer(low, start, end):
        word = match.group("word")
        for place, stems in enumerate(_ORDER[: len(lex.labels)]):
            if word.startswith(tuple(stems.split())):
                found.add(lex.labels[place])
        if word.startswith(tuple(_LAST.split())):
            found.add(lex.labels[-1])
    return found


def chosen_abroad(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The one option in the object of the last choice made in another language."""
    if low.isascii() and _CHOOSING.isdisjoint(vocabulary(low)):
        return None
    found: Commitment | None = None
    for match in _CHOICE.finditer(low):
        group = "object" if match.group("object") else "far"
        start, end = match.span(group)
        if stop := _INSTEAD.search(low, start, end):
            end = stop.start()
        if _NOT.search(low, start, end):
            continue
        labels = {m.label for m in mentions if start <= m.start < end and m.label} or _places(low, start, end, lex)
        if len(labels) == 1:
            found = Commitment(start, end, labels.pop(), STRONG, "commitment")
    return found


_ASSENT = words(
    "natürlich selbstverständlich klar gerne gern sicher volontiers évidemment certainement absolument certo certamente "
    "volentieri claro zeker natuurlijk graag sì sí"
) | frozenset(
    parts(
        "auf jeden fall|aber sicher|bien sûr|avec plaisir|tout à fait|d'accord|por supuesto|claro que sí|desde luego"
        "|sin duda"
        "|con gusto|com certeza|com prazer|sem dúvida|senz'altro|assolutamente sì|bien sûr que oui|por supuesto que sí"
    )
)
_DISSENT = words("keinesfalls niemals jamais nunca jamás mai nooit leider") | frozenset(
    parts(
        "auf keinen fall|leider nicht|leider nein|lieber nicht|sicher nicht|natürlich nicht|nicht mehr|bestimmt nicht"
        "|de ninguna manera|en absoluto|claro que no|por supuesto que no|ni hablar|para nada|bien sûr que non|pas du tout"
        "|certainement pas|absolument pas|hors de question|assolutamente no|per niente|certo che no|de jeito nenhum"
        "|de modo algum|claro que não|zeker niet|natuurlijk niet|absoluut niet"
    )
)
_FAR_YES = (
    "会的",
    "当然会",
    "当然",
    "好的",
    "可以",
    "我接受",
    "同意",
    "愿意",
    "我会",
    "もちろん",
    "そうです",
    "물론",
    "그럼요",
    "конечно",
)
_FAR_NO = (
    "不会",
    "不可以",
    "不行",
    "不接受",
    "我不",
    "不同意",
    "不愿意",
    "当然不",
    "绝不",
    "没有",
    "違います",
    "お断り",
    "아니",
    "конечно нет",
    "ни в коем",
)
_STOCK = re.compile(
    rf"(?:^|(?<=[.!?\n]))[\s\"'(*¡]*(?:(?P<no>{any_of(_DISSENT)})"
    rf"|(?P<yes>{any_of(_ASSENT)}))(?=\s*(?:[.,;!:\n–—-]|$))"
)
_ANSWERING = frozenset(max(phrase.replace("'", " ").split(), key=len) for phrase in _ASSENT | _DISSENT)


def answered_abroad(low: str) -> Commitment | None:
    """Yes or no by the stock phrases of another language that open a sentence: "Por supuesto", "Leider nicht"."""
    found: Commitment | None = None
    if not _ANSWERING.isdisjoint(vocabulary(low)):
        for match in _STOCK.finditer(low):
            answer = "yes" if match.group("yes") else "no"
            found = Commitment(match.start(), match.end(), answer, STRONG, "stress")
    if not low.isascii():
        text = low.lstrip(" \n\"'(*")
        at = len(low) - len(text)
        for answer, phrases in (("no", _FAR_NO), ("yes", _FAR_YES)):
            for phrase in phrases:
                if text.startswith(phrase):
                    return Commitment(at, at + len(phrase), answer, STRONG, "stress")
    return found
