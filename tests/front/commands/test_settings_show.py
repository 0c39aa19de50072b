def test_every_setting_has_value_source_and_meaning(run, root, monkeypatch):
    (root / "config" / "settings.toml").write_text('profile = "strict"\n')
    monkeypatch.setenv("MCPGOV_COLOR", "never")
    found = run("settings", "show", "--json").json
    assert found["file"] == f"{root}/config/settings.toml"
    assert [(row["name"], row["value"], row["source"]) for row in found["settings"]] == [
        ("policy", None, "default"),
        ("color", "never", "env"),
        ("profile", "strict", "file"),
        ("audit_arguments", "redacted", "default"),
        ("audit_keep_days", "30", "default"),
        ("clients", ["claude-desktop", "claude-code", "cursor"], "default"),
        ("project_files", False, "default"),
        ("configs", [], "default"),
        ("exclude", [], "default"),
        ("log_level", "info", "default"),
        ("notices", True, "default"),
        ("approvals_timeout", {}, "default"),
        ("approvals_max_open", "5", "default"),
        ("approvals_max_per_minute", "20", "default"),
        ("approvals_surfaces", ["app", "desktop", "terminal", "page"], "default"),
        ("serve_reveal", "matching", "default"),
        ("ledger", None, "default"),
        ("ledger_namespace", "", "default"),
        ("ledger_password_file", None, "default"),
        ("ledger_lease", "24", "default"),
        ("fixtures", None, "default"),
    ]
    assert all(row["description"] for row in found["settings"])


def test_people_see_where_to_write_them(run, root):
    lines = run("settings", "show").out.splitlines()
    assert lines[0].split() == ["setting", "value", "source", "meaning"]
    assert lines[1].split()[:3] == ["policy", "–", "default"]
    assert lines[-1] == f"in {root}/config/settings.toml (not there yet), or as MCPGOV_<NAME>"


def test_a_table_is_shown_in_one_cell(run, root):
    (root / "config" / "settings.toml").write_text("[approvals.timeout]\ncursor = 20\nother = 12.5\n")
    assert "cursor 20, other 12.5" in run("settings", "show").out
    rows = {row["name"]: row["value"] for row in run("settings", "show", "--json").json["settings"]}
    assert rows["approvals_timeout"] == {"cursor": 20.0, "other": 12.5}


def test_a_mistake_gives_status_3_and_the_hint_helps(run, root):
    (root / "config" / "settings.toml").write_text('colour = "red"\n')
    done = run("settings", "show")
    assert (done.status, done.out, done.err) == (
        3,
        "",
        f"mcpgov: unknown setting `colour` in `{root}/config/settings.toml` (line 1)\n"
        "  hint: did you mean `color`? known: policy, color, profile, audit_arguments, audit_keep_days, "
        "clients, project_files, configs, exclude, log_level, notices, approvals_timeout, approvals_max_open, "
        "approvals_max_per_minute, approvals_surfaces, serve_reveal, ledger, ledger_namespace, ledger_password_file, "
        "ledger_lease, fixtures\n",
    )


def test_the_password_of_the_engine_is_not_shown(run, root):
    (root / "config" / "settings.toml").write_text('ledger = "redis://:hush-hush@db.example/0"\n')
    shown = run("settings", "show").out + str(run("settings", "show", "--json").json)
    assert "redis://:***@db.example/0" in shown
    assert "hush" not in shown
