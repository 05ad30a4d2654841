"""The report page in a real browser: it fits, asks no network, raises nothing, and its controls work."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tekrar.build import build
from tekrar.corpus.release_package import write_release
from tekrar.corpus.structured import import_structured
from tekrar.view.report import open_pair, report_page
from tests.unit.structured_documents import book, chapter, document, paragraph

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
WIDTHS = (360, 1280)
LONG_WORD = "gök" * 120
ARABIC = "اَلْحَمْدُ لِلّٰهِ عَلٰى كُلِّ حَالٍ"


def corpus() -> dict[str, Any]:
    """Three books that share 60 sentences, a pair of short ones, Arabic, blanks, a word of 360 letters."""
    shared = [f"Köyün {n}. evinde ışık yanıyordu." for n in range(60)]
    pairs = [paragraph(f"q{n}", f"Rüzgâr {n} esti.", f"Yaprak {n} düştü.") for n in range(70)]

    def parted(n: int) -> list[dict[str, Any]]:
        return [p for one in pairs for p in (one, paragraph(f"x{one['id']}", f"Ara {n} {one['id']}."))]

    books = [
        book(
            f"kitap-{n}",
            chapter(
                "1",
                paragraph("a", f"Baş {n}."),
                paragraph("b", ARABIC),
                paragraph("c", *shared, LONG_WORD),
                title=f"Çok Uzun Bir Bölüm Başlığı {LONG_WORD}",
            ),
            chapter("2", *parted(n)),
            chapter("3", *(paragraph(f"d{at}", "***") for at in range(4)), title="<b>Son</b>"),
            title=f"Kitap {n} \u202etersi",
        )
        for n in range(3)
    ]
    return document(*books)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("report")
    data = json.dumps(corpus()).encode()
    write_release(
        import_structured(data, where="document.json", edition="deneme", language=None), place / "release"
    )
    build(place / "release", out=place / "artifact", engine="hashlib")
    page, _ = report_page(*open_pair(place / "artifact", place / "release"))
    (place / "report.html").write_bytes(page)
    return place / "report.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="needs the playwright package")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs chromium")
    with api.sync_playwright() as running:
        found = running.chromium.launch(executable_path=program, args=FLAGS)
        yield found
        found.close()


class Seen:
    """An opened page with what it said and asked for."""

    def __init__(self, browser: Any, file: Path, width: int) -> None:
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": 800})
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())

    def overflow(self) -> int:
        found: int = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return found

    def wait_for_text(self, selector: str, text: str) -> None:
        """Wait until an element says a text: the list and its counter are set together, after a pause."""
        said = f"document.querySelector({json.dumps(selector)}).textContent"
        self.wait_until(f"{said}.startsWith({json.dumps(text)})")

    def wait_until(self, script: str) -> None:
        """Wait for a script's truth; Playwright's own waiting needs `eval`, which the page forbids."""
        for _ in range(600):  # half a minute: a loaded machine is slow, not wrong
            if self.page.evaluate(script):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never true: {script}")

    def shown(self, selector: str) -> int:
        return sum(one.is_visible() for one in self.page.query_selector_all(selector))


@pytest.fixture(params=WIDTHS)
def seen(browser: Any, page_file: Path, request: pytest.FixtureRequest) -> Iterator[Seen]:
    found = Seen(browser, page_file, request.param)
    yield found
    assert found.said == []
    assert [
        url
        for url in found.asked
        if url.partition("#")[0] != page_file.as_uri() and not url.startswith("data:")
    ] == []
    found.page.close()


def test_nothing_overflows_closed_or_open(seen: Seen) -> None:
    assert seen.overflow() <= 0
    seen.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    seen.page.evaluate("document.querySelector('#stretch-more').click()")
    assert seen.overflow() <= 0


def test_a_stretch_opens_side_by_side(seen: Seen) -> None:
    seen.page.click("a[href='#r1']")
    sides = seen.page.query_selector_all("#r1 .side")
    assert len(sides) == 3
    assert all(side.is_visible() for side in sides)
    boxes = [side.bounding_box() for side in sides]
    beside = boxes[0]["y"] == boxes[1]["y"]
    assert beside == (seen.page.viewport_size["width"] == 1280)
    assert "Köyün 0. evinde" in sides[0].inner_text()
    direction = seen.page.evaluate(
        """() => getComputedStyle([...document.querySelectorAll("#r1 .quote p")]
        .find((one) => one.textContent.includes("حَالٍ"))).direction"""
    )
    assert direction == "rtl"


def test_the_toggle_hides_blank_passages(seen: Seen) -> None:
    blank = "#classes .blank"
    assert seen.page.query_selector(blank) is not None
    assert seen.shown(blank) == 0
    seen.page.uncheck("#hide-blank-FP")
    seen.page.uncheck("#hide-blank-FS")
    assert seen.shown(blank) == len(seen.page.query_selector_all(blank))


def test_filters_and_paging(seen: Seen) -> None:
    items = "#stretch-list > li"
    total = len(seen.page.query_selector_all(items))
    assert total > 60
    assert seen.shown(items) == 50
    seen.page.click("#stretch-more")
    seen.wait_until("document.querySelector('#stretch-more').hidden")
    blank = len(seen.page.query_selector_all(f"{items}.blank"))
    assert blank > 0
    assert seen.shown(items) == total - blank
    seen.page.fill("#stretch-tools input", "YAPRAK 41 DÜŞTÜ")
    seen.wait_for_text("#stretch-count", "Showing 1 of 1 ")
    assert seen.shown(items) == 1
    seen.page.click("#stretch-tools button")
    seen.wait_for_text("#stretch-count", "Showing 50 of ")
    assert seen.shown(items) == 50
    seen.page.click("a[data-pair='0 1']")
    seen.wait_until("document.querySelector('#stretch-tools select').value === '0'")
    chosen = [one.input_value() for one in seen.page.query_selector_all("#stretch-tools select")]
    assert chosen == ["0", "1"]
    assert seen.shown(items) > 0


def test_an_address_with_a_name_opens_its_card(seen: Seen, page_file: Path) -> None:
    seen.page.goto(f"{page_file.as_uri()}#r60")
    seen.wait_until("document.querySelector('#r60 details').open")
    seen.page.evaluate("location.hash = 'b1'")
    seen.wait_until("document.querySelector('#b1').open")


def test_without_scripts_everything_is_there(browser: Any, page_file: Path) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800})
    page = context.new_page()
    page.goto(page_file.as_uri())
    items = page.query_selector_all("#stretch-list > li:not(.blank)")
    assert len(items) > 60
    assert all(item.is_visible() for item in items)
    assert not page.is_visible("#stretch-tools")
    page.click("#r1 summary")
    assert page.is_visible("#r1 .side")
    context.close()
