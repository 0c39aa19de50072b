"""Places are data; these hold them together."""

import pytest

from mcpgov.core.operations.classify import classify
from mcpgov.core.operations.vocabulary.places import PLACES


def test_every_class_of_a_place_is_one_that_is_asked_about() -> None:
    assert {kind for *_, kind in PLACES} == {"execute", "admin"}


def test_every_row_names_places_and_verbs_and_spares_none_of_its_objects() -> None:
    assert all(places and verbs and objects.isdisjoint(spared) for places, verbs, objects, spared, _ in PLACES)


@pytest.mark.parametrize(
    ("tool", "server", "expected"),
    [
        ("vimeo_upload_video", "", "execute"),
        ("upload_video", "vimeo", "execute"),
        ("upload_video", "", "write"),
        ("pypi_upload_release", "", "execute"),
        ("discourse_create_topic", "", "execute"),
        ("irc_say", "", "execute"),
        ("monzo_move_money", "", "execute"),
        ("stripe_update_customer", "", "write"),
        ("shippo_create_label", "", "execute"),
        ("gmail_create_label", "", "write"),
        ("wireguard_add_peer", "", "admin"),
        ("add_filter", "pihole", "admin"),
        ("add_filter", "", "write"),
        ("launchdarkly_update_flag", "", "admin"),
        ("route53_change_records", "", "admin"),
        ("flux_reconcile_source", "", "execute"),
        ("reconcile_source", "", "write"),
        ("comfyui_queue_prompt", "", "execute"),
        ("libvirt_undefine_domain", "", "delete"),
    ],
)
def test_what_a_product_is_for_decides_a_plain_change(tool: str, server: str, expected: str) -> None:
    assert classify(tool, (), None, server)[0] == expected
