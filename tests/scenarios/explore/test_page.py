"""The explorer in Chromium, served by ``multislot explore``."""

import json
import threading
from random import Random

import pytest

from multislot.exact.files.verdicts import COUNTS, plain_name
from multislot.exact.files.worlds import world_named
from scenarios.explore.questions import reply
from scenarios.explore.serving import Server
from tests.scenarios.explore.asked import random_request
from tests.scenarios.explore.test_serving import Direct, serving_in_a_thread

VERDICTS, TABLE, MAPS = ".verdicts", "#answer table", ".maps"
DRAWN = "return document.querySelectorAll('.maps svg').length >= 3 && document.querySelector('.maps').dataset.drawn > 9"
FAULTY = 'name = "mine"\nactions = ["stay"]\nstart = { state = "home" }\nstates = { home = { pais = 1 } }\n'


@pytest.fixture(scope="module")
def served():
    with serving_in_a_thread(Server(answering=Direct(), opened={"world": "teleport"})) as server:
        yield server


def same(found, expected):
    """Say whether the page has an answer: JSON turns tuples into lists, and the page's 0.0 is 0."""
    return found == json.loads(json.dumps(expected))


def test_the_world_of_the_command_line_is_shown_with_who_accepts(page, served):
    page.size(1200)
    page.open(served.url)
    assert page.text("h1") == "Do you step into the teleporter?"
    assert "copies in full or copies on average chooses “teleport”." in page.text(VERDICTS)
    assert "Whoever counts only slot 1 (“stayed”) or only their own slot chooses “stay”." in page.text(VERDICTS)
    page.until(DRAWN)
    assert page.run("return location.hash") == "#world=teleport"
    names = page.run("return [...document.querySelectorAll('#answer th[scope=row]')].map((one) => one.innerText)")
    assert {name.split("\n")[0] for name in names} >= {plain_name(name) for name in COUNTS}
    captions = page.run("return [...document.querySelectorAll('.maps figcaption')].map((one) => one.innerText)")
    shown = [plain_name(name) for name in ("cpy", "sta", "dyn", "caring=1")]
    assert captions == [*shown[:3], f"{shown[3]}; the slider sets α"]
    assert page.complaints() == []


def test_the_lineage_begins_with_an_action_that_copies_and_worths_say_whether_they_are_rounded(page, served):
    """The control: what the value decides copies nobody."""
    page.open(f"{served.url}#world=branch-line&p.away=0&p.stay=1/4&horizon=2&x=left&y=away")
    first = "return document.querySelector('#answer section[aria-label=Lineage] .said').innerText"
    page.run("document.querySelector('button[aria-label=\"step: back\"]').click()")
    page.until(f"{first}.startsWith('Step 1 (“step in”): slot 1 is copied to slots 1 and 2')")
    assert "19/40 = 0.475" in " ".join(page.text(TABLE).split())
    page.open(f"{served.url}#world=branch-line&p.away=0&p.stay=1/3&horizon=2&first=*&x=left&y=away")
    page.run("document.querySelector('button[aria-label=\"step: back\"]').click()")
    page.until(f"{first}.startsWith('Step 1 (“stay”): nobody moves')")
    assert "19/30 ≈ 0.6333" in " ".join(page.text(TABLE).split())


def test_the_marker_moves_at_once_and_what_is_older_than_the_sliders_is_gray_and_says_so(page, served, monkeypatch):
    """The control: along an axis of the maps nothing on them changes but the marker."""
    page.size(1200)
    page.open(f"{served.url}#world=copy&x=r_2&y=r_s")
    page.until(DRAWN)
    answered, notice = threading.Event(), "section > .working"
    direct = served.answering.reply
    monkeypatch.setattr(served.answering, "reply", lambda request: direct(request) if answered.wait(60) else None)
    old = "return [...document.querySelectorAll('.stale')].map((one) => one.className.split(' ')[0])"
    marker = "return document.querySelector('.maps .layer_3_marks path').getAttribute('transform')"
    before = page.run(marker)
    page.enter("[data-key='p.r_2'] input[type=range]", "3")
    page.until(
        "return document.querySelector('.maps .layer_3_marks path').getAttribute('transform') !== arguments[0]", before
    )
    assert "maps" not in page.run(old)
    assert page.text(notice) == ""
    page.enter("[data-key=discount] input[type=range]", "0.5")
    page.until("return !document.querySelector('.top .working').hidden")
    assert {"maps", "verdicts", "table"} <= set(page.run(old))
    assert page.text(notice) == "Computing the maps …"
    page.run(
        "globalThis.notices = []; const notice = document.querySelector(arguments[0]);"
        "new MutationObserver(() => notices.push(notice.textContent)).observe(notice, {childList: true})",
        notice,
    )
    answered.set()
    page.until(f"{old.replace('return', 'return 0 ===')}.length && notices.at(-1) === ''")
    assert page.run("return notices.some((one) => one.startsWith('A first, coarse map'))")


def test_choosing_the_other_axis_exchanges_both(page, served):
    page.open(f"{served.url}#world=copy&x=r_2&y=r_s")
    page.enter("select[aria-label=across]", "r_s", "change")
    assert [
        page.run(f"return document.querySelector('select[aria-label={way}]').value") for way in ("across", "up")
    ] == [
        "r_s",
        "r_2",
    ]


@pytest.mark.parametrize("width", [1200, 400])
def test_long_fractions_are_decimals_no_column_is_cut_and_chance_twice_is_explained(page, served, width):
    """The control: in a world without chance nothing is said of it."""
    page.size(width)
    page.open(f"{served.url}#world=copy&horizon=10&discount=19/20&p.r_2=1/3")
    page.run("document.querySelectorAll('#answer details').forEach((one) => { one.open = true })")
    shown = page.run("return [...document.querySelectorAll('#answer td.number')].map((one) => one.innerText)")
    assert len(shown) > 20
    assert max(map(len, " ".join(shown).split())) <= 7
    room = page.run("const one = document.querySelector('.table'); return [one.scrollWidth, one.clientWidth]")
    assert room[0] <= room[1] <= width
    assert "Chance twice" not in page.text(".said")
    page.open(f"{served.url}#world=lottery")
    assert "Chance twice: in the formula of the paper" in page.text(".said")


def test_random_questions_are_answered_as_in_python(page, served):
    chance = Random(7)
    requests = [random_request(chance) for _ in range(10)]  # the static page gets fifty
    page.open(served.url)
    found = page.ask(requests)
    assert sum("error" in one for one in found) < 5
    for request, answer in zip(requests, found, strict=True):
        assert same(answer, reply(request)), request


def test_a_slider_moved_by_keys_changes_the_answer_and_a_link_restores_all(page, served):
    page.open(f"{served.url}#world=copy&x=r_2&y=r_s")
    before = page.text(TABLE)
    slider = "[data-key='p.r_2'] input[type=range]"
    page.run("document.querySelector(arguments[0]).focus()", slider)
    page.driver.switch_to.active_element.send_keys("\ue012")  # the left arrow
    page.until("return document.querySelector(arguments[0]).innerText !== arguments[1]", TABLE, before)
    page.enter("[data-key=discount] input[type=text]", "1/2")
    page.until("return location.hash.includes('discount=1%2F2')")
    page.run("document.querySelector('button[aria-label=\"step: back\"]').click()")
    page.until(DRAWN)
    shown = [page.text(part) for part in (VERDICTS, TABLE, ".said")]
    link = page.run("return location.href")
    assert "p.r_2=1.9" in link
    page.open(f"{served.url}#world=tree")
    assert [page.text(part) for part in (VERDICTS, TABLE, ".said")] != shown
    page.open(link)
    assert [page.text(part) for part in (VERDICTS, TABLE, ".said")] == shown


def test_a_faulty_file_of_the_command_line_is_opened_with_its_fault_and_nothing_else(page, served):
    served.opened = {"file": FAULTY}
    try:
        page.open(served.url)
        assert page.text(".gutter .bad") == "4"
        assert page.run("return document.querySelector('#answer').hidden")
    finally:
        served.opened = {"world": "teleport"}


def test_a_fault_in_the_file_is_marked_at_its_line_and_the_link_holds_the_file(page, served):
    page.open(f"{served.url}#world=copy")
    page.run("document.querySelector('details:has(textarea)').open = true")
    page.enter("textarea", FAULTY)
    page.until("return document.querySelector('.gutter .bad')?.innerText === '4'")
    assert "did you mean 'pays'?" in page.text(".top .fault")
    assert page.run("return document.querySelector('textarea').getAttribute('aria-invalid')") == "true"
    page.enter("textarea", FAULTY.replace("pais", "pays"))
    page.until("return document.querySelector('.top .fault').hidden")
    link = page.run("return location.href")
    page.open(link)
    assert page.run("return document.querySelector('textarea').value") == FAULTY.replace("pais", "pays")
    page.run(
        "const area = document.querySelector('textarea'); area.value = '#'.repeat(1e7);"
        "area.dispatchEvent(new Event('input'))"
    )
    assert page.text(".top .fault") == "The file has 10000000 characters; expected at most 1000000."
    page.open(f"{served.url}#file=damaged!")
    assert "damaged" in page.text(".top .fault")


BAD = {
    "discount": ("2", "discount"),
    "horizon": ("1000000", "at most 1000"),
    "p.r_2": ("1/0", "r_2"),
    "p.x": ("1", "x"),
}


def test_a_bad_number_in_a_link_is_said_in_a_sentence(page, served):
    page.open(f"{served.url}#world=copy")
    for key, (value, words) in BAD.items():
        page.run("location.hash = arguments[0]", f"world=copy&{key}={value}")
        said = "const found = document.querySelector('.top .fault:not([hidden])')?.innerText ?? '';"
        message = page.until(f"{said} return found.includes(arguments[0]) && found", words)
        assert "\n" not in message


def test_a_world_that_grows_is_refused_at_once_and_there_is_a_way_back(page, served):
    page.open(f"{served.url}#world=universal&horizon=40")
    assert "more than 2048 slots and hidden states" in page.text(".top .fault")
    page.run("document.querySelector('.controls button').click()")
    page.until("return document.querySelector('.top .fault').hidden")
    assert page.text("h1") == world_named("universal").form.question
    assert page.run("return location.hash") == "#world=universal"


def test_the_path_changes_exactly_at_a_threshold(page, served):
    page.open(f"{served.url}#view=caring&task=box&criterion=value")
    label = "return document.querySelector('.chart svg')?.getAttribute('aria-label')"
    page.until(label)
    paths = []
    for alpha in ("1/5", "1/4", "251/1000"):
        page.enter(".pair input[type=text]", alpha)
        page.until("return document.querySelector('.said').innerText.startsWith(arguments[0])", f"α = {alpha}:")
        page.run("document.querySelector('.pair input[type=text]').blur()")
        paths.append((page.run("return document.querySelector('.answer input[type=range]').max"), page.text(".said")))
    assert [length for length, _ in paths] == ["20", "20", "21"]
    assert "Exactly here the next behavior is just as good" in paths[1][1]
    assert "agent_1 gets −21, agent_2 gets −20" in paths[2][1]


def test_a_life_is_shown_step_by_step(page, served):
    page.open(f"{served.url}#view=caution&beta=0.97&truth=deadly&life=2")
    assert "In the end it falls." in page.text(".life")
    first = page.text(".said")
    assert first.startswith("Step 1: it considers 5 of 32 worlds.")
    page.run("document.querySelector('button[aria-label=\"step: on\"]').click()")
    assert page.text(".said").startswith("Step 2:")
    assert page.run("return location.hash").endswith("at=1")


def test_the_battery_shows_an_agent_next_to_its_reality_check(page, served):
    page.open(f"{served.url}#view=reflection&agent=Simple")
    assert page.text(".said").startswith("Simple measures 0.7567, its reality check")
    assert page.run("return document.querySelectorAll('#answer tbody tr').length") == 25


VIEWS = ("identity", "caring", "caution", "reflection")
ROLES = {
    "slider": "input[type=range]",
    "textbox": "input[type=text], textarea",
    "checkbox": "input[type=checkbox]",
    "radio": "input[type=radio]",
    "combobox": "select",
    "button": "button",
    "link": "a[href]",
    "DisclosureTriangle": "summary",
    "table": "table",
    "image": ".chart svg",
}
"""What a screen reader names by its role, and the elements that should have this role."""
SHOWN = "return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()).length"


def open_drawn(page, served, view):
    """Open a view and wait until all its charts are there."""
    page.open(f"{served.url}#view={view}")
    page.until(DRAWN if view == "identity" else "return document.querySelectorAll('.chart svg[role=img]').length > 1")


def nameless(page):
    """Return the roles of which a part has no name, or of which fewer parts are read out than are on the page."""
    read = [(role, name) for role, name, _ in page.read_out()]
    unread = {role for role, parts in ROLES.items() if sum(one == role for one, _ in read) < page.run(SHOWN, parts)}
    return unread | {role for role, name in read if role in ROLES and not name}


@pytest.mark.parametrize("view", VIEWS)
def test_a_screen_reader_has_a_role_and_a_name_for_every_control_chart_and_table(view, page, served):
    page.size(1200)
    open_drawn(page, served, view)
    page.run("for (const one of document.querySelectorAll('details')) one.open = true")
    assert nameless(page) == set()
    roles = [role for role, _, _ in page.read_out()]
    assert {"main", "navigation"} <= set(roles)
    assert "graphics-document" not in roles  # Vega's own wrapper has no name of use
    page.run(
        "document.querySelector('.chart svg').removeAttribute('aria-label');"
        "const control = document.querySelector('.controls select'); control.labels[0].remove();"
        "document.querySelector('main').append(document.createElement('button'))"
    )
    assert nameless(page) >= {"image", "combobox", "button"}  # what is taken away is missed


def test_a_map_is_redrawn_while_a_slider_moves(page, served):
    page.size(1200)
    page.open(f"{served.url}#world=copy")
    page.until(DRAWN)
    page.run(
        "const slider = document.querySelector(\"[data-key='p.r_s'] input[type=range]\");"
        "globalThis.drawnWhileMoving = 0; globalThis.moved = 0;"
        "new MutationObserver(() => { drawnWhileMoving += 1; }).observe(document.querySelector('.maps'),"
        " {attributes: true, attributeFilter: ['data-drawn']});"
        "const moving = setInterval(() => { moved += 1; slider.value = String(moved % 40 / 10);"
        " slider.dispatchEvent(new Event('input', {bubbles: true}));"
        " if (drawnWhileMoving > 2) { clearInterval(moving); globalThis.ended = moved; } }, 20)"
    )
    assert page.until("return globalThis.ended") > 2


@pytest.mark.parametrize(("view", "dark"), list(zip(VIEWS, (True, False, True, False), strict=True)))
def test_every_view_fits_a_phone_and_says_what_it_shows(view, dark, page, served):
    page.size(400, dark=dark)
    open_drawn(page, served, view)
    assert page.run("return document.documentElement.scrollWidth") <= 400
    assert nameless(page) == set()
    assert "What am I looking at?" in page.text("main")
    assert page.complaints() == []


def test_worths_of_a_far_horizon_are_numbers_however_long_their_fractions_are(page, served):
    page.open(f"{served.url}#world=teleport&discount=99/100&horizon=201")
    page.until("return document.querySelector(arguments[0])?.innerText.includes('173.472')", TABLE)
    assert "NaN" not in page.text("#answer")
    page.enter("[data-key=discount] input[type=text]", f"0.{'9' * 900}")  # what is typed has a limit
    assert page.run("return document.querySelector('[data-key=discount] [aria-invalid=true]') !== null")


OWN = """name = "mine"
actions = ["stay", "go"]
start = { state = "home" }
[parameters]
home = 1
away = { default = 3, least = 0, most = 6 }
[states]
home = { pays = "home" }
there = { pays = "away" }
back = { pays = 0 }
[[outcomes]]
state = "home"
action = "go"
becomes = [{ slot = 1, state = "back" }, { slot = 2, state = "there" }]
"""
"""A story of a reader."""
SET = (
    "return [...document.querySelectorAll('.controls [data-key]')]"
    ".map((one) => `${one.dataset.key}=${one.querySelector('input[type=text]').value}`).join(' ')"
)


def test_a_story_that_is_pasted_or_edited_brings_its_own_numbers(page, served):
    """The control: a number that the reader has set stays."""
    page.open(f"{served.url}#world=teleport&p.r_2=3")
    page.enter("textarea", OWN)
    page.until(f"return (() => {{ {SET} }})() === 'p.home=1 p.away=3 discount=9/10 horizon=5 alpha=1'")
    assert page.text(".top .fault") == ""
    page.enter("[data-key='p.home'] input[type=text]", "2")
    page.enter("textarea", f"discount = 0.5\nhorizon = 2\n{OWN}")
    page.until(f"return (() => {{ {SET} }})() === 'p.home=2 p.away=3 discount=1/2 horizon=2 alpha=1'")


def test_the_way_to_another_view_and_back_keeps_the_story_and_its_numbers(page, served):
    page.open(f"{served.url}#world=teleport")
    page.enter("textarea", OWN)
    page.until("return document.querySelector(\"[data-key='p.away']\")")
    page.enter("[data-key='p.away'] input[type=text]", "1/3")
    for name in ("Caring", "Identity"):
        page.run("[...document.querySelectorAll('nav a')].find((one) => one.innerText === arguments[0]).click()", name)
        page.until("return document.querySelector('nav a[aria-current]')?.innerText === arguments[0]", name)
    page.until("return document.querySelector(\"[data-key='p.away'] input[type=text]\")?.value === '1/3'")
    assert page.text("h1") == "mine"


def test_the_second_click_of_a_double_click_answers_no_question(page, served):
    page.open(f"{served.url}#view=play")
    page.until("return document.querySelector('.options button')").click()
    page.until("return document.querySelector('.count')?.innerText === 'Question 1 of 16'")
    for detail, number in ((1, 2), (2, 2), (1, 3)):
        click = (
            f"document.querySelector('.options button').dispatchEvent(new MouseEvent('click', {{detail: {detail}}}))"
        )
        page.run(click)
        assert page.text(".count") == f"Question {number} of 16"


def test_numbers_on_a_phone_say_their_column(page, served):
    page.size(400)
    page.open(f"{served.url}#view=reflection&agent=Simple")
    named = "[...document.querySelectorAll('#answer tbody tr:first-child td')].map((one) => one.dataset.label)"
    assert page.until(f"const found = {named}; return found.length && found") == ["Simple", "RC(Simple)", "difference"]


def map_says(page, words):
    """Whether the description of the first map comes to have some words."""
    script = "return document.querySelector('.maps svg')?.getAttribute('aria-label')?.includes(arguments[0])"
    return page.until(script, words)


def test_a_map_follows_when_a_parameter_is_renamed(page, served):
    page.size(1200)
    page.open(f"{served.url}#world=teleport")
    for name in ("away", "far"):
        page.enter("textarea", OWN.replace("away", name))
        assert map_says(page, f"over {name} and home")
    assert page.complaints() == []


def test_a_map_over_the_horizon_reaches_to_where_the_reader_is(page, served):
    """The control: it reaches to 10 at least."""
    for horizon, middle in ((50, 26), (3, 6)):
        page.open(f"{served.url}#world=branch-line&horizon={horizon}&x=away&y=horizon")
        assert map_says(page, f"At horizon = {middle}")
