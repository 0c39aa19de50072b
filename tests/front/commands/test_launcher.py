import subprocess


def test_the_launcher_is_written_and_named(root, run):
    path = root / "bin" / "mcpgov-proxy"
    done = run("launcher", "--json")
    assert (done.status, done.json["launcher"], done.json["changed"]) == (0, str(path), True)
    assert run("launcher", "--json").json["changed"] is False
    assert "is up to date" in run("launcher").out


def test_the_path_alone_can_be_used_in_a_shell(root, run):
    done = run("launcher", "--quiet-path")
    assert (done.status, done.out) == (0, f"{root}/bin/mcpgov-proxy\n")
    words = [done.out.strip(), "--server", "s", "--", "sh", "-c", "exit 5"]
    assert subprocess.run(words, stdin=subprocess.DEVNULL, timeout=30, check=False).returncode == 5
