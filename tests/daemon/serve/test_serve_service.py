from mcpgov.daemon.serve.serve_service import ServeService


def test_the_service_runs_while_its_file_is_there(tmp_path):
    users = []

    class Services:
        def use(self, name):
            users.append(name)
            return users.clear

    file = tmp_path / "install.json"
    service = ServeService(file, Services())
    service.refresh()
    assert users == []
    file.write_text("{}")
    service.refresh()
    service.refresh()
    assert users == ["serve"]
    file.unlink()
    service.refresh()
    service.refresh()
    assert users == []
