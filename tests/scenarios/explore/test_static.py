"""The explorer as files: a folder on any web server, and one page that works from a disk."""

import http.server
import json
import shutil
import subprocess
import sys
import zipfile
from functools import partial
from random import Random

import pytest

from multislot.errors import SettingError
from multislot.exact.files.worlds import world_names
from scenarios.explore import building
from scenarios.explore.questions import REPLAYED, reply
from tests.build import ROOT
from tests.scenarios.explore.asked import random_request
from tests.scenarios.explore.test_page import same
from tests.scenarios.explore.test_serving import BAD, serving_in_a_thread

NPM = ROOT / "build" / "npm"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    npm = NPM if (NPM / "node_modules" / "pyodide").exists() else tmp_path_factory.mktemp("npm")
    if npm != NPM:
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed")
        shutil.copy(building.PAGE / "package.json", npm)
        install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
        if subprocess.run(install, cwd=npm, capture_output=True).returncode:
            pytest.skip("the npm registry cannot be reached")
    out = tmp_path_factory.mktemp("explorer")
    building.build(npm, out)
    return out


@pytest.mark.full
def test_one_file_answers_fifty_random_questions_as_python_does_without_a_server(built, page):
    page.open((built / "explorer.html").as_uri())
    assert page.text("h1") == "Do you step into the teleporter?"
    chance = Random(11)
    requests = [random_request(chance) for _ in range(50)]
    found = page.ask(requests)
    assert sum("error" in one for one in found) < 25
    for request, answer in zip(requests, found, strict=True):
        assert same(answer, json.loads(json.dumps(reply(request)))), request
    bad = {kind: (json.loads(body), words) for kind, (body, _, words) in BAD.items() if "JSON" not in kind}
    for (kind, (_, words)), answer in zip(bad.items(), page.ask([one for one, _ in bad.values()]), strict=True):
        message = json.dumps(answer, ensure_ascii=False).replace('\\"', '"')
        assert words in message or "run multislot explore" in message, kind
    assert page.complaints() == []


@pytest.mark.full
def test_the_folder_shows_every_view_from_a_server_that_only_hands_out_files(built, page):
    handler = partial(Quiet, directory=built / "site")
    with serving_in_a_thread(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        address = f"http://127.0.0.1:{server.server_port}/index.html"
        page.open(f"{address}#world=branch-line&p.left=0&horizon=3")
        page.until("return document.querySelectorAll('.maps svg').length >= 3")
        assert "Whoever counts copies by shares" in page.text(".verdicts")
        for view, words in (("caring", "agent_2 gets −1000"), ("caution", "worlds"), ("reflection", "reality check")):
            page.run("location.hash = arguments[0]", f"#view={view}")
            page.until("return document.querySelector('.said')?.innerText.includes(arguments[0])", words)
    assert page.complaints() == []


def test_everything_that_is_replayed_was_asked_of_the_engine():
    asked = [json.loads(key) for key, _ in zip((key for key, _ in building.recorded()), range(3), strict=False)]
    assert asked[0] == {"view": REPLAYED[0]}
    assert asked[1].keys() == {"view", "task", "criterion"}


def unpacked(folder):
    building.write_engine(folder / "engine.zip")
    with zipfile.ZipFile(folder / "engine.zip") as archive:
        archive.extractall(folder / "engine")
    return folder / "engine"


def ask_alone(engine, asked):
    """Ask an interpreter that has the standard library and the archive, and no site-packages."""
    code = (
        f"import json, sys; sys.path.insert(0, {str(engine)!r})\n"
        "from scenarios.explore.questions import reply\n"
        f"print(json.dumps([reply(one) for one in {asked!r}]))"
    )
    return subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)


def test_the_engine_in_the_archive_answers_with_the_standard_library_alone(tmp_path):
    numbers = {"view": "identity", "caring": ["1/2"], "values": ["cpy"], "horizon": 3}
    asked = [
        {"view": "caring"},
        {"view": "start"},
        {"view": "play", "seed": 4},
        *({**numbers, "world": name} for name in world_names()),
    ]
    done = ask_alone(unpacked(tmp_path), asked)
    assert done.returncode == 0, done.stderr
    replayed, *computed = json.loads(done.stdout)
    assert computed == [reply(request) for request in asked[1:]]
    assert all("error" not in answer for answer in computed)
    assert "recorded answers" in replayed["error"]["message"]


def test_an_engine_that_needs_another_package_would_be_found(tmp_path):
    engine = unpacked(tmp_path)
    with (engine / "multislot" / "exact" / "kernel.py").open("a") as kernel:
        kernel.write("\nimport numpy\n")
    assert "No module named 'numpy'" in ask_alone(engine, [{"view": "start"}]).stderr


def test_where_npm_has_not_been_the_command_to_run_is_named(tmp_path):
    with pytest.raises(SettingError, match="run: make explorer"):
        building.build(tmp_path, tmp_path / "out")
