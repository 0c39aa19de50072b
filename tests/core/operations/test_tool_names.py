"""Tool names -> operation: the verb, and what its object makes of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgov.core.operations.classify import classify
from mcpgov.core.operations.tool_names import decided, tokens_of

CASES = Path(__file__).parents[2] / "cases"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", lines(CASES / "operations.jsonl"), ids=lambda case: case["tool"])
def test_a_known_tool_is_read_as_a_person_would(case: dict[str, Any]) -> None:
    found, _ = classify(case["tool"], case.get("arguments", ()), None, case.get("server", ""))
    assert found == case["operation"]


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("list_issues", (), ("read", "verb `list`")),
        ("get_secret", (), ("admin", "verb `get` raised by noun `secret`")),
        ("list_and_purge", (), ("delete", "verb `list` raised by verb `purge`")),
        ("get_and_permanently_delete", (), ("delete", "verb `get` raised by verb `delete`")),
        ("get_delete_file", (), ("delete", "verb `get` raised by verb `delete`")),
        ("get_delete_status", (), ("read", "verb `get`")),
        ("unmerge_cells", (), ("write", "verb `unmerge`")),
        ("unusual", (), ("unknown", "no known verb")),
        ("unrestrict_page", (), ("admin", "verb `unrestrict`")),
        ("unmute_user", (), ("admin", "verb `unmute`")),
        ("prebook_table", (), ("execute", "verb `prebook`")),
        ("create_payment", (), ("execute", "verb `create` raised by noun `payment`")),
        ("add_ip_to_allowlist", (), ("admin", "verb `add` raised by a list of who may come in")),
        ("create_pin_publish", (), ("execute", "verb `create` raised by verb `publish`")),
        ("manage_users", (), ("unknown", "the verb is an argument")),
        ("manage_capabilities", (), ("read", "noun `capabilities`")),
        ("manage_history", (), ("unknown", "the verb is an argument")),
        ("user_action", (), ("unknown", "the verb is an argument")),
        ("execute_tool", (), ("unknown", "the verb is an argument")),
        ("call_the_tool", (), ("execute", "verb `call`")),
        ("cancel_operation", (), ("write", "verb `cancel`")),
        ("browser_tabs", ("action",), ("unknown", "the verb is an argument")),
        ("frob_tabs", ("action",), ("unknown", "no verb, argument `action`")),
        ("add_user", (), ("admin", "verb `add` raised by noun `user`")),
        ("weather", (), ("read", "noun `weather`")),
        ("my_gadgets", (), ("read", "noun `gadgets`")),
        ("team_gadgets", (), ("read", "plural noun `gadgets`")),
        ("character", ("id",), ("read", "noun `character` by `id`")),
        ("page_to_markdown", (), ("read", "conversion to `markdown`")),
        ("export_scene", ("path",), ("write", "verb `export` raised by argument `path`")),
        ("gadget", ("command",), ("execute", "argument `command`")),
        ("gadget", ("body",), ("unknown", "no verb, argument `body`")),
        ("gadget", (), ("unknown", "no known verb")),
        ("audit_site", ("outputDir",), ("write", "verb `audit` raised by argument `outputDir`")),
        ("", (), ("unknown", "no name")),
        ("x" * 257, (), ("unknown", "name too long")),
    ],
)
def test_the_reason_names_the_word_that_spoke(tool: str, arguments: Any, expected: Any) -> None:
    assert classify(tool, arguments) == expected


@pytest.mark.parametrize("verb", ["frobnicate", "rescind", "shelve", "issue", "xyzzies"])
@pytest.mark.parametrize("thing", ["rules", "report", "plan", "events", "schedule", "certificate", "updates"])
def test_an_unknown_verb_before_something_that_can_be_made_is_never_read(verb: str, thing: str) -> None:
    assert classify(f"{verb}_{thing}")[0] != "read"


@pytest.mark.parametrize("half", ["names_tuned", "names_heldout", "names_fresh"])
def test_of_names_from_many_trades_nearly_all_are_read_as_a_person_would(half: str) -> None:
    cases = lines(CASES / f"{half}.jsonl")
    found = [(classify(case["tool"])[0], case["operation"], case["tool"]) for case in cases]
    wrong = [row for row in found if row[0] != row[1]]
    outward = [row for row in found if row[1] in ("delete", "execute", "admin")]
    missed = [row for row in outward if row[0] in ("read", "write")]
    assert len(wrong) <= 0.07 * len(found), wrong
    assert len(missed) <= 0.05 * len(outward), missed


def test_of_names_from_trades_with_their_own_verbs_few_acts_pass_unasked() -> None:
    """Care, freight, law, farms, radio, games, plants: a verb nobody knows may be `unknown`, which is asked about."""
    cases = lines(CASES / "names_trades.jsonl")
    found = [(classify(case["tool"])[0], case["operation"], case["tool"]) for case in cases]
    outward = [row for row in found if row[1] in ("delete", "execute", "admin")]
    missed = [row for row in outward if row[0] in ("read", "write")]
    asked = [row for row in found if row[1] in ("read", "write") and row[0] not in ("read", "write")]
    assert len(missed) <= 0.05 * len(outward), missed
    assert len(asked) <= 0.20 * (len(found) - len(outward)), asked
    assert sum(got == wanted for got, wanted, _ in found) >= 0.77 * len(found)


@pytest.mark.parametrize("round_", ["first", "second", "third", "fourth"])
def test_of_names_from_far_trades_few_acts_pass_unasked(round_: str) -> None:
    """Each round: three lists of about 120 names, written and labelled before the code had seen them, then tuned on.

    At first sight 76 / 79 / 75 / 86 % were right and 14 / 14 / 12 / 9 % of the outward acts missed: a name from a trade
    that nobody thought of is still wrong about as often as that, half of the time as `unknown`, which is asked about.
    """
    cases = lines(CASES / f"names_trades_{round_}.jsonl")
    found = [(classify(case["tool"])[0], case["operation"], case["tool"]) for case in cases]
    outward = [row for row in found if row[1] in ("delete", "execute", "admin")]
    missed = [row for row in outward if row[0] in ("read", "write")]
    asked = [row for row in found if row[1] in ("read", "write") and row[0] not in ("read", "write")]
    assert sum(got == wanted for got, wanted, _ in found) >= 0.91 * len(found)
    assert len(missed) <= 0.05 * len(outward), missed
    assert len(asked) <= 0.10 * (len(found) - len(outward)), asked


@pytest.mark.parametrize("round_", ["first", "second", "third", "fourth"])
def test_of_names_as_servers_of_common_services_give_them_few_acts_pass_unasked(round_: str) -> None:
    """Each round: names and arguments as servers for mail, payments, clouds, shops … have them.

    All were written and labelled before the code had seen them; then the rounds were tuned on, one after the other.
    At first sight, without names of other lists: 78 / 83 / 85 / 75 % right and 26 / 23 / 18 / 26 % of the outward acts
    missed (the code before these rounds: 78 / 79 / 83 / 72 and 26 / 29 / 23 / 34). The fourth round has its verbs last.
    """
    cases = lines(CASES / f"names_services_{round_}.jsonl")
    found = [(classify(case["tool"], case.get("arguments", ()))[0], case["operation"], case["tool"]) for case in cases]
    outward = [row for row in found if row[1] in ("delete", "execute", "admin")]
    missed = [row for row in outward if row[0] in ("read", "write")]
    asked = [row for row in found if row[1] in ("read", "write") and row[0] not in ("read", "write")]
    assert sum(got == wanted for got, wanted, _ in found) >= 0.86 * len(found)
    assert len(missed) <= 0.10 * len(outward), missed
    assert len(asked) <= 0.05 * (len(found) - len(outward)), asked


@pytest.mark.parametrize("names", ["services_fifth", "everyday"])
def test_of_names_of_many_products_few_acts_pass_unasked(names: str) -> None:
    """Looked at since: no longer unseen. At first sight 89 % of the fifth round were right and 11 % of its outward acts
    missed. The everyday names were five lists, written before the code had seen them and then used: at first sight
    89 / 87 / 85 / 94 / 87 % right and 9 / 11 / 8 / 5 / 10 % missed; products that nobody thought of and names with the
    verb at the end are the worst.
    """
    cases = lines(CASES / f"names_{names}.jsonl")
    found = [(classify(case["tool"], case.get("arguments", ()))[0], case["operation"], case["tool"]) for case in cases]
    outward = [row for row in found if row[1] in ("delete", "execute", "admin")]
    missed = [row for row in outward if row[0] in ("read", "write")]
    assert sum(got == wanted for got, wanted, _ in found) >= 0.93 * len(found)
    assert len(missed) <= 0.05 * len(outward), missed


@pytest.mark.parametrize(("kind", "right"), [("popular", 0.99), ("less_known", 0.93), ("odd", 0.70)])
def test_of_held_out_names_hardly_an_outward_act_passes_unasked(kind: str, right: float) -> None:
    """600 names by somebody who saw neither code nor other lists, labelled before; nothing was tuned on them.

    Popular products, less known services, and odd names of single developers (slang, bare nouns, other languages). At
    first sight 100 / 95 / 73 % right and 0 / 0 / 1.7 % of the outward acts missed. Where the name leaves the verb to an
    argument anything stricter than a write is right.
    """
    cases = lines(CASES / f"names_heldout_{kind}.jsonl")
    found = [(classify(case["tool"], case["arguments"], None, case["server"])[0], case) for case in cases]
    missed = [case["tool"] for got, case in found if case["outward"] and got in ("read", "write")]
    open_verbs = [case["operation"] == "unknown" and case["outward"] for case in cases]
    fine = [
        got == case["operation"] or (is_open and got not in ("read", "write"))
        for (got, case), is_open in zip(found, open_verbs, strict=True)
    ]
    assert sum(fine) >= right * len(found)
    assert len(missed) <= 0.05 * sum(case["outward"] for case in cases), missed


@pytest.mark.parametrize(
    ("tool", "arguments", "server", "expected"),
    [
        ("zoom_list_recordings", (), "", "read"),
        ("zoom_in", (), "", "write"),
        ("drive_export_pdf", ("fileId",), "", "read"),
        ("docker_build", ("context",), "", "execute"),
        ("salesforce_log_call", (), "", "write"),
        ("opentable_book", (), "", "execute"),
        ("bluesky_like", (), "", "write"),
        ("youtube_upload_video", (), "", "execute"),
        ("upload_video", (), "youtube", "execute"),
        ("upload_video", (), "", "write"),
        ("youtube_upload_draft", (), "", "write"),
        ("browser_upload_file", (), "", "execute"),
        ("okta_update_profile", (), "", "admin"),
        ("vault_write", (), "", "admin"),
        ("modbus_write_register", (), "", "execute"),
        ("rds_create_snapshot", (), "", "write"),
        ("gitlab_create_variable", (), "", "admin"),
        ("create_variable", (), "", "write"),
        ("statuspage_post_update", (), "", "execute"),
        ("azure_devops_queue_build", (), "", "execute"),
        ("schedule_export", (), "", "write"),
        ("schedule_search", (), "", "read"),
        ("light_on", (), "", "write"),
        ("alarm_off", (), "", "admin"),
        ("report_to_admin", (), "", "unknown"),
        ("list_sign_in_logs", (), "", "read"),
        ("start_turbofan", (), "", "execute"),
        ("start_recording", (), "", "write"),
        ("start", (), "", "write"),
        ("bb_post", (), "", "write"),
        ("unlock_frobnicator", (), "", "admin"),
        ("place_block", (), "", "write"),
        ("load_test_start", (), "", "execute"),
        ("review_reply", (), "", "execute"),
        ("compose_logs_show", (), "", "write"),
        ("load_set", (), "", "write"),
        ("load_from_start", (), "", "write"),
        ("load_weather", (), "", "write"),
        ("directions", ("origin", "destination", "mode"), "", "read"),
        ("directions", ("action",), "", "unknown"),
        ("widgets_report", ("mode",), "", "unknown"),
        ("checkout", ("cart_id", "payment_method"), "", "execute"),
        ("checkout", ("branch",), "", "write"),
        ("create_timer", ("schedule", "command"), "", "execute"),
        ("iam_simulate_policy", ("principal_arn", "actions"), "", "read"),
    ],
)
def test_where_a_tool_acts_and_on_what_decides_a_weak_verb(
    tool: str, arguments: tuple[str, ...], server: str, expected: str
) -> None:
    assert classify(tool, arguments, None, server)[0] == expected


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("berth_occupancy", "read"),
        ("water_quality_report", "read"),
        ("milk_yield_by_cow", "read"),
        ("leak_report", "execute"),
        ("leak_logs_to_press", "execute"),
        ("contract_summary", "read"),
        ("enclosure_map", "read"),
        ("frob_map", "unknown"),
        ("rejigger_report", "unknown"),
        ("supplant_rules", "unknown"),
        ("permit_requirements", "read"),
        ("grant_read", "admin"),
        ("file_flight_plan", "execute"),
        ("file_search", "read"),
        ("issue_permit", "execute"),
        ("issue_list", "read"),
        ("issue_search_warrant", "execute"),
        ("issue_badge", "admin"),
        ("administer_vaccine", "execute"),
        ("administer_users", "unknown"),
        ("notarise_deed", "execute"),
        ("dishonour_payment", "execute"),
        ("disallow_user", "admin"),
        ("list_discount_codes", "read"),
        ("note_claim_call", "write"),
        ("log_weld_inspection", "write"),
        ("log_delete", "delete"),
        ("draft_reply", "write"),
        ("draft_and_send", "execute"),
        ("announce_stage_change", "execute"),
        ("message_draft_save", "write"),
        ("charge_late_fee", "execute"),
        ("release_exam_results", "execute"),
        ("cut_umbilical_cord", "execute"),
        ("cut_clip", "write"),
        ("insert_control_rods", "execute"),
        ("insert_row", "write"),
        ("quote_freight_rate", "read"),
        ("dock_vessel", "execute"),
        ("dock", "unknown"),
        ("feed_children", "execute"),
        ("rescue_children", "execute"),
        ("cook_ingredients", "execute"),
        ("auction_unit_contents", "execute"),
        ("mill_paper", "execute"),
        ("dump_milk", "execute"),
        ("dump_schema", "read"),
    ],
)
def test_the_words_of_trades_are_told_by_what_stands_around_them(tool: str, expected: str) -> None:
    assert classify(tool)[0] == expected


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("send_status", "execute"),
        ("send_order_status", "execute"),
        ("crm_send_details", "execute"),
        ("submit_results", "execute"),
        ("publish_order_history", "execute"),
        ("push_metrics", "execute"),
        ("share_workout_history", "admin"),
        ("reset_reading_progress", "write"),
        ("restart_worker_status", "admin"),
        ("email_send_status", "read"),
        ("falsify_results", "unknown"),
        ("transpose_score", "write"),
        ("hike_prices", "unknown"),
        ("quote_freight_price", "read"),
        ("quote_customer", "execute"),
        ("merge_status", "read"),
        ("run_step_status", "read"),
        ("email_parents", "execute"),
        ("simulate_click", "execute"),
        ("simulate_outage", "execute"),
        ("simulate_gps_location", "write"),
        ("simulate_swap", "read"),
        ("log_yield", "write"),
        ("shed_load", "unknown"),
        ("project_load", "write"),
        ("start_shell", "execute"),
        ("start_ventilator", "execute"),
        ("lift_legal_hold", "admin"),
        ("extend_offer", "execute"),
        ("extend_range", "write"),
        ("check_in_guest", "execute"),
        ("check_in_file", "write"),
    ],
)
def test_a_word_that_may_be_a_noun_does_not_hide_an_act(tool: str, expected: str) -> None:
    assert classify(tool)[0] == expected


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("hotel_book", "execute"),
        ("order_book", "read"),
        ("drone_land", "execute"),
        ("retell_create_phone_call", "execute"),
        ("brew_uninstall", "admin"),
        ("brew_coffee", "execute"),
        ("user_permissions", "read"),
        ("security_group_add_rule", "admin"),
        ("switch_port_disable", "admin"),
        ("grant_apply", "execute"),
        ("grant_and_apply", "admin"),
        ("survey_site", "read"),
        ("survey_submit_response", "execute"),
        ("itinerary_add_stop", "write"),
        ("crm_log_activity", "write"),
        ("monzo_balance", "read"),
        ("petkit_feed_now", "execute"),
        ("schedule_visit", "execute"),
        ("encryption_enable", "admin"),
        ("musescore_transpose", "write"),
        ("alarm_off", "admin"),
        ("execute_query_write", "execute"),
        ("execute_query", "read"),
        ("list_item_for_sale", "execute"),
        ("list_items", "read"),
    ],
)
def test_the_thing_may_stand_before_the_verb(tool: str, expected: str) -> None:
    assert classify(tool)[0] == expected


@pytest.mark.parametrize(
    "tool",
    [
        "send_input",
        "send_keys",
        "interact_with_process",
        "write_to_terminal",
        "terminal_input",
        "write_stdin",
        "type_in_shell",
        "tmux_send_keys",
        "process_send_input",
        "sendInput",
        "shell.write",
        "send_text_to_terminal",
        "write_to_process",
        "pty_write",
        "console_type_keys",
    ],
)
def test_typing_into_a_shell_or_a_process_is_execute(tool: str) -> None:
    assert classify(tool)[0] == "execute"


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("send_to_trash", "delete"),
        ("create_draft_email", "write"),
        ("post_process_image", "write"),
        ("order_by", "write"),
        ("call_count", "read"),
        ("run_date", "read"),
        ("merge_cells", "write"),
        ("transfer_learning_notes", "read"),
        ("draft_reply", "write"),
        ("send_draft", "execute"),
        ("release_notes", "read"),
        ("email_templates", "read"),
        ("email_report", "execute"),
        ("order_summary", "read"),
        ("tweet_metrics", "read"),
        ("content_type", "unknown"),
        ("tab_new", "write"),
        ("salt_apply_state", "execute"),
        ("vote_on_poll", "execute"),
    ],
)
def test_the_noun_decides_where_the_verb_is_weak(tool: str, expected: str) -> None:
    assert classify(tool)[0] == expected


@pytest.mark.parametrize(
    ("name", "verb"),
    [("read_file", "read"), ("read_file_tool", "read"), ("account_details", ""), ("manage_pages", ""), ("", "")],
)
def test_the_verb_that_decides_a_name_is_told(name: str, verb: str) -> None:
    assert decided(tokens_of(name), frozenset(), {})[2] == verb
