"""The page in a real browser: what is typed, dragged and pressed, and what is seen."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from listening import Server, listening

from qidf.repository import Repository
from qidf.serving.web import Collection, create_application, of_repository

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

QUERY = "handleWebSocketUpgrade auth middleware"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Open = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no Chromium on PATH; apt install chromium")
    with (
        sync_api.sync_playwright() as driver,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        # A profile of its own, so that nothing of the user's is touched.
        context = driver.chromium.launch_persistent_context(
            profile, executable_path=chromium, args=FLAGS
        )
        yield context.browser or context
        context.close()


@pytest.fixture
def visit(browser: BrowserContext, server: Server) -> Iterator[Open]:
    """Open the page; at the end nothing may have gone wrong in it or come from outside."""
    pages: list[Page] = []
    wrong: list[str] = []

    def open_page(
        path: str = "/", *, width: int = 1280, dark: bool = False, watched: bool = True
    ) -> Page:
        page = browser.new_page()
        page.set_viewport_size({"width": width, "height": 860})
        page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        if watched:
            page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda request: (
                wrong.append(request.url) if not request.url.startswith(server.address) else None
            ),
        )
        page.goto(server.address + path)
        page.locator("body[aria-busy=false]").wait_for()
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert wrong == []


def settled(page: Page, act: Callable[[], object]) -> None:
    """Do something, and wait until the page has asked and shown what came of it."""
    act()
    page.locator("body[aria-busy=false]").wait_for()


def ids(page: Page, side: str) -> list[str]:
    """Ids of a column from top to bottom, by where the rows are on the page."""
    rows = page.locator(f"#{side} .row").all()
    placed = []
    for row in rows:
        box = row.bounding_box()
        assert box is not None
        placed.append((box["y"], row.locator(".id").get_attribute("title") or ""))
    return [name for _, name in sorted(placed)]


def typed(page: Page, text: str = QUERY) -> None:
    settled(page, lambda: page.locator("#query").fill(text))


def test_both_rankings_and_the_lines_between_them_are_drawn(
    visit: Open, collection: Collection
) -> None:
    page = visit("/#q=0.3")
    typed(page)
    for side, q in (("bm25", 1.0), ("qlog", 0.3)):
        assert ids(page, side) == [hit.id for hit in collection.index.search(QUERY, 10, q)]
    assert page.locator("#moves path").count() == len({*ids(page, "bm25"), *ids(page, "qlog")})
    left, gutter, right = (
        page.locator(f"#{name}").bounding_box() for name in ("bm25", "moves", "qlog")
    )
    assert left
    assert gutter
    assert right
    assert left["x"] + left["width"] <= gutter["x"] + 1
    assert gutter["x"] + gutter["width"] <= right["x"] + 1


def test_dragging_q_ranks_anew_and_bends_the_curve(visit: Open, collection: Collection) -> None:
    page = visit()
    typed(page)
    seen = set()
    for q in (1.0, 0.6, 0.1):
        if page.locator("#q").input_value() != f"{q:g}":
            settled(page, lambda: page.locator("#q").fill(str(q)))  # noqa: B023
        assert page.locator("#q-value").inner_text() == f"{q:.3f}"
        assert ids(page, "qlog") == [hit.id for hit in collection.index.search(QUERY, 10, q)]
        seen.add(page.locator("#curve path.qlog").get_attribute("d"))
    assert len(seen) == 3
    assert page.locator("#curve circle.qlog").count() == 3


def test_formula_and_repeats_can_be_chosen_and_auto_takes_them_back(
    visit: Open, collection: Collection
) -> None:
    page = visit()
    twice = f"{QUERY} auth auth"
    typed(page, twice)
    settled(page, lambda: page.locator("#k3").select_option("1"))
    decision = collection.index.decide(twice, k3=1)
    head = page.locator("#q-head").inner_text().replace("\u00a0", " ")
    assert head == f"q = {decision.weighting.q:.3f}, k3 = 1"
    settled(page, lambda: page.locator("#q").fill("0.3"))
    settled(page, lambda: page.locator("#weighting").select_option("paper"))
    expected = collection.index.search(twice, 10, 0.3, weighting="paper", k3=1)
    assert ids(page, "qlog") == [hit.id for hit in expected]
    again = visit(page.url.removeprefix(page.url.split("/#")[0]))
    assert again.locator("#weighting").input_value() == "paper"
    assert again.locator("#k3").input_value() == "1"
    settled(again, lambda: again.locator("#use-auto").click())
    assert again.locator("#weighting").input_value() == again.locator("#k3").input_value() == "auto"
    assert ids(again, "qlog") == [hit.id for hit in collection.index.search(twice)]


def test_the_table_shows_what_explain_says(visit: Open, collection: Collection) -> None:
    page = visit("/#q=0.5")
    typed(page)
    top = collection.index.search(QUERY, 1, 0.5)[0]
    terms = collection.index.explain(QUERY, top.id, 0.5).terms
    rows = page.locator("#tokens tbody tr")
    assert rows.count() == len(terms)
    expected = sorted(terms, key=lambda term: -term.contribution)[0]
    cells = rows.nth(0).locator("th, td").all_inner_texts()
    assert cells[0] == expected.token
    assert cells[1] == str(expected.doc_freq)
    assert float(cells[2]) == pytest.approx(expected.bm25_idf, abs=0.006)
    assert float(cells[3]) == pytest.approx(expected.idf, abs=0.006)
    assert float(cells[4].rstrip("×")) == pytest.approx(expected.ratio, abs=0.006)
    assert float(cells[5].split()[0]) == pytest.approx(expected.contribution, abs=0.006)


def test_everything_can_be_done_with_the_keys(visit: Open) -> None:
    page = visit()
    assert page.locator("#query").evaluate("box => box === document.activeElement")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    settled(page, lambda: page.keyboard.type(QUERY))
    page.keyboard.press("Enter")
    settled(page, lambda: page.keyboard.press("ArrowDown"))
    second = ids(page, "qlog")[1]
    assert page.locator("#qlog .selected .id").get_attribute("title") == second
    assert second.split("/")[-1] in page.locator("#why-id").inner_text()
    settled(page, lambda: page.keyboard.press("k"))
    assert page.locator("#qlog .selected .id").get_attribute("title") == ids(page, "qlog")[0]
    settled(page, lambda: page.keyboard.press("1"))
    assert page.locator("#q-value").inner_text() == "1.000"
    settled(page, lambda: page.keyboard.press("ArrowLeft"))
    assert page.locator("#q-value").inner_text() == "0.990"
    settled(page, lambda: page.keyboard.press("Shift+ArrowLeft"))
    assert page.locator("#q-value").inner_text() == "0.890"
    settled(page, lambda: page.keyboard.press("a"))
    assert page.locator("#q-kind").inner_text() == "auto"
    page.keyboard.press("Enter")
    assert page.locator("#why").evaluate("panel => panel === document.activeElement")
    page.keyboard.press("?")
    assert page.locator("#shortcuts").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#shortcuts").is_visible()


def test_a_click_selects_a_hit_in_both_columns(visit: Open) -> None:
    page = visit("/#q=0.5")
    typed(page)
    settled(page, lambda: page.locator("#bm25 .row", has_text="auth.go").click())
    for side in ("bm25", "qlog"):
        assert page.locator(f"#{side} .selected .id").get_attribute("title") == "auth.go"
    assert page.locator("#moves path.selected").count() == 1


def test_text_of_documents_never_becomes_markup(visit: Open) -> None:
    page = visit()
    typed(page, "onerror alert <img src=x onerror=alert(2)>")
    assert "deep/markup.go" in ids(page, "bm25")
    assert page.locator("main img").count() == 0
    assert "<img src=x onerror=alert(1)>" in page.locator("#excerpt").inner_text()


SPANS = """class AnExceedinglyLongNameForAReceiverOfConnections:
    def first_of_them(self):
        if self.ready:
            return self.upgrade_connection()

    def second_of_them(self):
        if self.ready:
            return self.upgrade_connection(again=True)
"""


def test_spans_of_one_file_are_told_apart_and_code_begins_at_the_edge(
    browser: BrowserContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tree_sitter_language_pack", reason="spans need the extra code")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "project"
    root.mkdir()
    (root / "an_exceedingly_long_name_of_a_module.py").write_text(SPANS * 12, encoding="utf-8")
    repository = of_repository(Repository.open(root))
    with listening(create_application(repository)) as server:
        page = browser.new_page()
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(f"{server.address}/#query=upgrade_connection+again")
        page.locator("body[aria-busy=false]").wait_for()
        lines = page.locator("#qlog .range")
        assert lines.count() == 10
        assert len(set(lines.all_inner_texts())) == 10
        for column in page.locator(".row").all():
            outer, inner = column.bounding_box(), column.locator(".name").bounding_box()
            assert outer
            assert inner
            assert inner["x"] + inner["width"] <= outer["x"] + outer["width"]
        assert page.locator("#why-id .symbol").inner_text().startswith("AnExceedinglyLongName")
        shown = page.locator("#excerpt .code > span").all_inner_texts()
        assert min(len(text) - len(text.lstrip()) for text in shown if text.strip()) == 0
        assert any(text.startswith("    ") for text in shown)
        page.close()


def test_a_query_without_hits_is_said_and_its_words_are_still_counted(visit: Open) -> None:
    page = visit()
    typed(page, "xyzzy plugh")
    assert "No document has any of these words" in page.locator("#message").inner_text()
    assert not page.locator("#rankings").is_visible()
    assert page.locator("#tokens tbody tr").count() == 2


def test_an_error_is_shown_as_a_sentence_and_goes_with_the_next_answer(visit: Open) -> None:
    # The browser notes every failed request on its console, which is no fault of the page.
    page = visit(watched=False)
    typed(page)
    page.route("**/api/compare", lambda route: route.fulfill(status=422, json={"error": "No."}))
    typed(page, "auth")
    assert page.locator("#message.wrong").inner_text() == "No."
    page.unroute_all()
    page.route("**/api/compare", lambda route: route.abort())
    typed(page, "auth token")
    assert "still running" in page.locator("#message.wrong").inner_text()
    page.unroute_all()
    typed(page)
    assert page.locator("#message.wrong").count() == 0
    assert page.locator("body.stale").count() == 0


@pytest.mark.parametrize(("width", "dark"), [(390, False), (390, True), (820, False), (1280, True)])
def test_it_fits_any_width_in_both_themes(visit: Open, width: int, dark: bool) -> None:
    page = visit("/#q=0.4", width=width, dark=dark)
    for text in (QUERY, "", "func " * 300):
        typed(page, text)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    red = int(background.partition("(")[2].partition(",")[0])
    assert (red < 80) is dark


# WCAG 2.1, 1.4.3: the contrast of text with what is behind it, opacity included; large text, from
# 24 pixels or 18.66 in bold, may have 3, all other 4.5.
FAINT_TEXTS = """() => {
  const rgba = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const over = (top, bottom, a) => top.map((value, at) => value * a + bottom[at] * (1 - a));
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((value) => value / 255)
      .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility()) continue;
    if (element.closest("svg, dialog, .unseen, .skip")) continue;
    const style = getComputedStyle(element);
    let opacity = 1;
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const found = getComputedStyle(each);
      opacity *= Number(found.opacity);
      layers.unshift(rgba(found.backgroundColor));
    }
    const white = [255, 255, 255];
    const behind = layers.reduce((under, layer) => over(layer.rgb, under, layer.a), white);
    const text = over(rgba(style.color).rgb, behind, opacity);
    const [low, high] = [luminance(text), luminance(behind)].sort((a, b) => a - b);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < (large ? 3 : 4.5)) faint.push(`${element.outerHTML.slice(0, 80)}: ${contrast}`);
  }
  return faint;
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(visit: Open, dark: bool) -> None:
    page = visit("/#q=0.4", dark=dark)
    assert page.evaluate(FAINT_TEXTS) == []
    for text in (QUERY, f"{QUERY} xyzzy", "xyzzy"):
        typed(page, text)
        assert page.evaluate(FAINT_TEXTS) == []


def test_controls_are_named_by_what_they_show_and_reached_in_the_order_they_stand(
    visit: Open,
) -> None:
    page = visit("/#q=0.4")
    typed(page)
    assert page.locator("#theme").get_attribute("aria-label") == "Theme: auto"
    page.locator("#theme").click()
    assert page.locator("#theme").get_attribute("aria-label") == "Theme: light"
    page.locator("#query").focus()
    reached = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.id"))
    assert reached == ["q", "use-auto", "use-one", "bm25", "qlog", "k", "weighting", "k3"]
    page.locator("#k").focus()
    # A list of numbers is chosen from by typing.
    page.keyboard.press("2")
    page.keyboard.press("1")
    assert page.locator("#q-value").inner_text() == "0.400"
    page.locator("#qlog").focus()
    page.keyboard.press("c")
    assert page.evaluate("() => document.activeElement.id") == "corpus"


def test_a_chosen_theme_stays(visit: Open) -> None:
    page = visit()
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    page.keyboard.press("t")
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    assert page.locator("html").get_attribute("data-theme") is None


def test_the_decision_chart_follows_the_answers(visit: Open, collection: Collection) -> None:
    import qidf

    page = visit()
    advice = qidf.advise(collection.index.stats, analyzer="generic")
    assert advice.action == "keep-bm25"
    names = {"keep-bm25": "keep BM25"}
    assert page.locator("#verdict").inner_text() == names[advice.action]
    assert page.locator("#decision .taken").count() == 1
    page.locator("#decision button", has_text="yes").click()
    assert page.locator("#verdict").inner_text() == "change the analyzer"
    assert page.locator("#decision .taken b").inner_text() == "change the analyzer"


def test_the_address_keeps_query_and_q(visit: Open) -> None:
    page = visit()
    typed(page)
    settled(page, lambda: page.locator("#q").fill("0.4"))
    again = visit(page.url.removeprefix(page.url.split("/#")[0]))
    assert again.locator("#query").input_value() == QUERY
    assert again.locator("#q-value").inner_text() == "0.400"
    assert ids(again, "qlog") == ids(page, "qlog")


def _with_auto_q(q: float) -> Callable[[Any], None]:
    """Answers to the page that say another q is the automatic one."""
    return lambda route: route.fulfill(json={**route.fetch().json(), "auto_q": q})


@pytest.mark.parametrize("width", [390, 640, 1280])
def test_the_labels_over_q_never_print_over_each_other(visit: Open, width: int) -> None:
    page = visit(width=width)
    shown = 0
    for auto in (0.0, 0.2, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.2):
        page.route("**/api/compare", _with_auto_q(auto))
        page.locator("#query").fill(f"auth middleware {auto}")
        page.wait_for_function(
            "auto => document.body.getAttribute('aria-busy') === 'false'"
            " && document.getElementById('mark-auto').style.getPropertyValue('--share')"
            " === String(Math.min(auto / 1.2, 1))",
            arg=auto,
        )
        boxes = [page.locator(each).bounding_box() for each in ("#mark-auto", "#mark-one")]
        auto_box, one = (box or {"x": 0, "width": 0} for box in boxes)
        if auto_box["width"] > 1:
            shown += 1
            assert (
                auto_box["x"] + auto_box["width"] <= one["x"]
                or one["x"] + one["width"] <= auto_box["x"]
            )
        page.unroute("**/api/compare")
    assert shown >= 3


def test_a_long_text_is_shown_in_a_box_of_a_few_lines_and_not_kept_in_the_address(
    visit: Open,
) -> None:
    page = visit()
    # As a paste comes in: all of it at once.
    page.locator("#query").evaluate(
        "(box, text) => { box.value = text; box.dispatchEvent(new Event('input')); }",
        "auth middleware\n" * 3_750,
    )
    page.locator("body[aria-busy=false]").wait_for()
    page.locator("#qlog .row").first.wait_for()
    height = page.locator("#query").evaluate("element => element.clientHeight")
    assert 100 < height < 200
    assert "#" not in page.url
    page.locator("#query").fill("auth")
    page.locator("body[aria-busy=false]").wait_for()
    assert page.locator("#query").evaluate("element => element.clientHeight") < 60
    assert page.url.endswith("#query=auth")


def test_code_is_weighed_in_a_repository_as_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("qidf.weighting.decision.MIN_DOCS", 1)
    monkeypatch.setattr("qidf.weighting.decision.MIN_TOKENS", 1)
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.py").write_text("def load(item):\n    return item.save(path)\n")
    repository = Repository.open(tmp_path / "source")
    query = "item = load(item);\nitem.save(path);"
    with listening(create_application(of_repository(repository))) as server:
        found = server.ask("/api/search", {"query": query}).json
        compared = server.ask("/api/compare", {"query": query}).json
        status = server.get("/api/status").json
    chosen = repository.decide(query).weighting
    assert found["weighting"] == compared["weighting"] == repr(chosen)
    assert status["advice"]["code_weighting"] == repr(chosen)
    assert found["hits"][0]["score"] == repository.search(query)[0].score


def test_a_ranking_and_its_explanation_come_from_the_same_scores(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "code")
    repository = Repository.open(tmp_path / "code", directory=tmp_path / "index")
    asked: list[object] = []
    scores = Repository.span_scores

    def counted(self: Repository, *given: Any, **named: Any) -> Any:
        asked.append(given)
        return scores(self, *given, **named)

    monkeypatch.setattr(Repository, "span_scores", counted)
    with listening(create_application(of_repository(repository))) as server:
        for question, number in (
            ({"query": QUERY, "q": 0.5}, 1),
            ({"query": QUERY, "q": 0.4}, 2),
            ({"query": QUERY, "q": 0.4, "k": 20}, 2),
            ({"query": "auth", "q": 0.4}, 3),
        ):
            assert server.ask("/api/compare", question).status == 200
            assert len(asked) == number
        (tmp_path / "code" / "auth.go").write_text("package main\n\nfunc auth() {}\n")
        time.sleep(1.1)
        assert server.ask("/api/compare", {"query": "auth", "q": 0.4}).status == 200
        assert len(asked) == 4
