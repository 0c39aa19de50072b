"""The steps that a path hangs on."""

import os

from mcpgov.daemon.watching.watch_points import MOST_LINKS, remote_type, watch_points


def test_a_plain_file_hangs_on_itself_and_its_directory(tmp_path):
    (tmp_path / "dir").mkdir()
    root = os.path.realpath(tmp_path)
    assert watch_points(f"{root}/dir/a.json") == ((root, "dir"), (f"{root}/dir", "a.json"))


def test_of_what_does_not_exist_the_first_missing_step_is_the_last(tmp_path):
    root = os.path.realpath(tmp_path)
    assert watch_points(f"{root}/one/two/a.json") == ((os.path.dirname(root), os.path.basename(root)), (root, "one"))


def test_every_link_on_the_way_counts(tmp_path):
    root = os.path.realpath(tmp_path)
    (tmp_path / "dots" / "deep").mkdir(parents=True)
    (tmp_path / "config").symlink_to("dots")
    (tmp_path / "dots" / "a.json").symlink_to(f"{root}/dots/deep/../deep/./b.json")
    assert watch_points(f"{root}/config/a.json") == (
        (root, "config"),
        (f"{root}/dots", "a.json"),
        (f"{root}/dots", "deep"),
        (f"{root}/dots/deep", "b.json"),
    )


def test_a_link_to_itself_comes_to_an_end(tmp_path):
    (tmp_path / "a").symlink_to("a")
    assert len(watch_points(f"{tmp_path}/a")) <= MOST_LINKS + 3


def test_a_file_in_the_way_of_a_directory_is_the_last_step(tmp_path):
    root = os.path.realpath(tmp_path)
    (tmp_path / "dir").write_text("")
    assert watch_points(f"{root}/dir/a.json")[-1] == (f"{root}/dir", "a.json")


def table(tmp_path, *rows):
    file = tmp_path / "mounts"
    file.write_text("".join(f"x {place} {kind} rw 0 0\n" for place, kind in rows) + "odd\n")
    return file


def test_the_nearest_mount_decides_whether_a_path_is_remote(tmp_path):
    mounts = table(tmp_path, ("/", "ext4"), ("/home", "nfs4"), ("/home/u/local", "xfs"), ("/mnt/a\\040b", "fuse.sshfs"))
    assert remote_type(["/home/u/local/x", "/etc"], mounts) == ""
    assert remote_type(["/etc", "/home/u/.claude.json"], mounts) == "nfs4"
    assert remote_type(["/mnt/a b/c"], mounts) == "fuse.sshfs"


def test_a_mount_over_another_hides_it(tmp_path):
    assert remote_type(["/home/u"], table(tmp_path, ("/home", "nfs"), ("/home", "ext4"))) == ""


def test_where_there_is_no_table_nothing_is_remote(tmp_path):
    assert remote_type(["/home/u"], tmp_path / "none") == ""
