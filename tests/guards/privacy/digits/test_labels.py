"""Numbers of orders, invoices, parcels and ids are no cards and no persons' numbers, where they are called so."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.digits.labels import is_other

DETECTOR = Detector(["credit_card", "ssn"])
NUMBER = "4413" + "259095674763"
PERSON = "-".join(("536", "22", "8741"))


def kinds(text: str, key: str = "") -> list[str]:
    return [one.kind for one in DETECTOR.find(text, key)]


@pytest.mark.parametrize(
    "before",
    [
        "order_id: ", "Order #", "Order no. ", "invoice ", "Transaction ID: ", "tracking number: ", '"orderId":',
        '{"order_ids":[', "order-number=", "<ticketId>", "**Batch**: ", "serial no ", "| SKU | ", "timestamp: ", "id: ",
        "customer id ", "case number is ", "orderid=", "Bestellnummer: ", "Rechnung Nr. ", "Sendungsnummer ",
        "N° de commande : ", "facture n° ", "número de pedido: ", "Fatura ", "ordine n. ", "your new order is ",
        f'"ids": [{NUMBER}, ', "card for order ",
    ],
)  # fmt: skip
def test_a_number_that_is_called_an_orders_is_none(before):
    assert kinds(before + NUMBER) == kinds(before + PERSON) == []
    assert kinds(f"{before}4413 2590 9567 4763") == []


@pytest.mark.parametrize(
    "before",
    ["", "card id ", "pan_id: ", "account_id: ", "Order 12 paid with ", "The order. ", "order, ", '{"order":12,"card":',
     "order card: ", "message: ", "order;", "order\n", "payment_card_ref: ", "ids of nobody "],
)  # fmt: skip
def test_a_card_is_told_wherever_no_word_calls_it_something_else(before):
    assert kinds(before + NUMBER) == ["credit_card"]


@pytest.mark.parametrize("before", ["", "ssn id: ", "tax id: ", "order ssn ", "Patient ID: ", "order. ", "social "])
def test_a_persons_number_is_told_the_same_way(before):
    assert kinds(before + PERSON) == ["ssn"]


def test_the_key_that_holds_a_text_calls_its_number_unless_the_text_does():
    assert kinds(NUMBER, "orderId") == kinds(f"# {NUMBER}", "order-id") == kinds(PERSON, "INVOICE_NO") == []
    assert kinds(NUMBER, "cardId") == kinds(NUMBER) == kinds(f"visa {NUMBER}", "orderId") == ["credit_card"]
    assert kinds(f"paid with {NUMBER}", "orderId") == ["credit_card"]


def test_only_so_many_words_are_looked_at():
    assert not is_other("order " + "no " * 20 + NUMBER, 66)
    assert is_other("order " + "no " * 3 + NUMBER, 15)


def test_a_seed_is_no_card():
    assert DETECTOR.find("rng = np.random.default_rng(348932549825235)") == []
