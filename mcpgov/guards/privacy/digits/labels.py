"""What a number is called by the words before it, or by the key that holds it: an order's number, or a person's?

Law: only what calls the number itself counts, `order #4…`, `"orderId": 4…`, not a sentence about orders. The nearest
word decides, and of one name a word for cards or people.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

REACH = 64
MOST_WORDS = 5
LEAST_DIGITS = 9  # of a number that stands in one list with others
# What has numbers of its own, in English, German, French, Spanish, Portuguese, Italian and Dutch. A word that may stand
# before any text (message, item, reason) is none.
_OTHERS = word_set("""
    order orders invoice invoices receipt receipts transaction transactions txn txns trx tracking parcel package
    shipment shipments consignment waybill awb ticket tickets case cases part parts serial serials batch batches lot
    lots sku skus barcode ean upc gtin isbn imei build builds revision epoch timestamp booking reservation confirmation
    reference ref po rma offset nonce uuid seed seeds rng
    bestellung auftrag rechnung sendung paket lieferschein vorgang buchung beleg aktenzeichen transaktion
    commande facture suivi colis dossier série serie référence livraison expédition billet
    pedido pedidos factura facturas transacción transaccion seguimiento envío envio caso lote guía guia orden recibo
    referencia fatura transação transacao rastreio rastreamento encomenda remessa
    ordine fattura transazione spedizione tracciamento lotto pratica bolla
    bestelling factuur zending pakket
""")
_BEGINNINGS = ("bestell", "auftrags", "rechnungs", "sendungs", "serien", "artikel", "teile", "chargen", "vorgangs",
               "buchungs", "beleg", "transaktions", "liefer", "paket")  # fmt: skip
_COUNTS = ("number", "numbers", "nummer", "num", "ids", "id", "nr", "no", "ref", "code")  # such a name ends with
_IDS = word_set("id ids identifier kennung identifiant identificador")
_BESIDE = word_set("""
    number numbers numero número numéro nummer num nums no nos nr n nº n° is was are of the de la le du del da di your
    our my this new ist lautet est es
""")
_SHORT = word_set("no nos nr n num inv ref ord")  # ends with a dot that ends no sentence
_CARDS = word_set("""
    card cards cardnumber creditcard creditcardnumber visa mastercard amex diners discover maestro unionpay jcb pan cc
    ccn credit debit payment account acct konto karte karten kreditkarte kreditkartennummer carte tarjeta cartão cartao
    kaart
""")
_PEOPLE = word_set("""
    ssn ssns social security tax taxpayer taxid tin itin national person personal patient employee member citizen
    identity government applicant resident insured beneficiary
""")
_GLUE = frozenset(" \t:=#\"'`\\([.*>|,")
_JOINTS = frozenset("_-°º")


def is_other(text: str, at: int, key: str = "", *, is_person: bool = False) -> bool:
    """Is the number at `at` called that of an order, an invoice, a parcel and the like?

    `key`: of the object that holds the text; `is_person`: the number may be a person's, else a card's.
    """
    own = _PEOPLE if is_person else _CARDS
    is_id = False
    for name in _names_before(text, at, key):
        parts = words(name)
        if not own.isdisjoint(parts):
            return False
        if any(map(_is_other_word, parts)):
            return True
        if all(part in _BESIDE or part in _IDS for part in parts):
            is_id = is_id or not _IDS.isdisjoint(parts)
        else:
            # An id is anything's, unless what is before it says whose.
            return is_id or parts[-1] in _IDS
    return is_id


def _is_other_word(part: str) -> bool:
    if part in _OTHERS:
        return True
    end = next((end for end in _COUNTS if part.endswith(end)), "")
    return bool(end) and (part.removesuffix(end) in _OTHERS or part.startswith(_BEGINNINGS))


def _names_before(text: str, at: int, key: str) -> Iterator[str]:
    """The names and words that stand before a number in its line, the nearest first; last the key, if no more does."""
    begin = max(0, at - REACH)
    left = MOST_WORDS
    while left:
        gap = at
        while at > begin and text[at - 1] in _GLUE:
            at -= 1
        gap_signs = text[at:gap]
        end = at
        while at > begin and (text[at - 1].isalnum() or text[at - 1] in _JOINTS):
            at -= 1
        name = text[at:end].strip("_-")
        if not name:
            if key and end == 0:
                yield key
            return
        if name.isdigit() and len(name) >= LEAST_DIGITS and "," in gap_signs:
            continue  # of a list
        if "," in gap_signs or ("." in gap_signs and name.lower() not in _SHORT):
            return
        left -= 1
        yield name
